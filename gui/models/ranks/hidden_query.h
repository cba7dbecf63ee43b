// The hidden share of the averages step by step, in a stretch of the watched run: exactly, or not at all.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "core/analysis/hidden_steps.h"
#include "gui/models/live/live_query.h"

namespace dasgd::gui {

struct HiddenAnswer {
    QString runId;
    TimeRange range;
    std::vector<HiddenStep> steps;
    bool tooMany = false;  // more spans than are read for it: nothing is told
};

class HiddenQuery final : public LiveQuery {
    Q_OBJECT

public:
    static constexpr std::size_t kMostSpans = 60'000;

    HiddenQuery() : LiveQuery(Priority::Background) {}
    // The latest request counts; while the run goes on, it is answered again as its range fills.
    void request(const QString& run, TimeRange range);
    // Nobody looks: not answered again until the next request.
    void release();
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::HiddenAnswer& answer);

private:
    Result<HiddenAnswer> answer(LiveStore& store, const QString& run, TimeRange range);
    // nullopt: too many.
    Result<std::optional<std::vector<RankSpan>>> spansThatEndIn(LiveStore& store, const QString& run, TimeRange range);

    std::mutex mutex_;  // guards request_ and released_
    std::optional<std::pair<QString, TimeRange>> request_;
    bool released_ = false;

    RefreshInterval interval_{1000, 100};
    std::optional<std::pair<QString, TimeRange>> answered_;
    std::int64_t revision_ = -1;
};

}  // namespace dasgd::gui
