// The watched run as a whole, all ranks, at the resolution of the overview strip.
#pragma once

#include "gui/data/feed/live_query.h"
#include "gui/data/spans/span_cache.h"
#include "gui/timeline/model/overview_picture.h"

namespace dasgd::gui {

class OverviewQuery final : public LiveQuery {
    Q_OBJECT

public:
    OverviewQuery() : LiveQuery(Priority::Background) {}
    // Width of the strip in pixels; 0: it is hidden.
    void setWidth(int pixels);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::OverviewPicturePtr& picture);

private:
    void answer(const TimelineView& view, const QString& run, int workers);

    Wishes<int> width_{this};
    Freshness fresh_{2000, 200, 10'000};
    RefreshInterval partial_{250, 4};
    SpanCache spans_;
    int answeredWidth_ = 0;
    std::int64_t answeredSpans_ = -1;
    bool answeredLive_ = false;
    bool complete_ = true;
};

}  // namespace dasgd::gui
