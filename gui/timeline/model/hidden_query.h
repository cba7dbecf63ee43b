// The hidden fraction of the averages per step in a range of the watched run, exact or not at all.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/spans/hidden_steps.h"
#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct HiddenAnswer {
    QString runId;
    TimeRange range;
    std::vector<HiddenStep> steps;
    bool tooMany = false;  // more spans than kMostSpans: no steps are given
};

class HiddenQuery final : public LiveQuery {
    Q_OBJECT

public:
    static constexpr std::size_t kMostSpans = 60'000;

    HiddenQuery() : LiveQuery(Priority::Background) {}
    // Replaces the former request; answered again while the run records more of its range.
    void request(const QString& run, TimeRange range);
    // Not answered again until the next request, as no view shows it.
    void release();
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::HiddenAnswer& answer);

private:
    Result<HiddenAnswer> answer(LiveStore& store, const QString& run, TimeRange range);
    // nullopt: more than kMostSpans.
    Result<std::optional<std::vector<RankSpan>>> spansThatEndIn(LiveStore& store, const QString& run, TimeRange range);

    Wishes<std::optional<std::pair<QString, TimeRange>>> request_{this};
    Freshness fresh_{1000, 100};
    bool lacksNewest_ = false;  // the last answer is from spans that the timeline had read, not yet all
};

}  // namespace dasgd::gui
