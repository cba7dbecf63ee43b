// A second run beside the watched one: alignment of both at a step, the frames of the second, and the composition of a
// step of each within a time range.
#pragma once

#include <chrono>
#include <optional>

#include "core/analysis/spans/trace_diff.h"
#include "gui/data/feed/live_query.h"
#include "gui/data/spans/span_cache.h"
#include "gui/timeline/model/beside/step_search.h"

namespace dasgd::gui {

// Corresponding instants of both runs: the start of a step, or of the runs if no step is requested or one of them lacks
// it.
struct BesideOrigin {
    QString a, b;
    std::optional<std::int64_t> step;  // the step; absent: the start of the runs
    Ns ofA = 0, ofB = 0;
    TimeRange extentOfB;
};

struct BesideNumbers {
    QString a, b;
    TimeRange ofA, ofB;    // the time range, on the time axis of each run
    bool tooMany = false;  // more than kMostSpans spans: no numbers are given
    StepParts partsOfA, partsOfB;
};

class BesideQuery final : public LiveQuery {
    Q_OBJECT

public:
    static constexpr std::size_t kMostSpans = 400'000;  // per run, for the numbers

    BesideQuery() : LiveQuery(Priority::Drawing) {}
    // Each of the three replaces its former request.
    void align(const QString& a, const QString& b, std::optional<std::int64_t> step);
    void requestFrame(const QString& b, const TimelineView& view);
    void compare(const QString& a, TimeRange ofA, const QString& b, TimeRange ofB);
    Status refresh(LiveStore& store) override;

signals:
    void aligned(const dasgd::gui::BesideOrigin& origin);
    void arrived(const dasgd::gui::TimelineFramePtr& frame);
    void compared(const dasgd::gui::BesideNumbers& numbers);

private:
    Status answerAlign(LiveStore& store);
    Status answerFrame(LiveStore& store);
    Status answerCompare(LiveStore& store);

    Wishes<std::optional<BesideOrigin>> align_{this};
    Wishes<std::optional<std::pair<QString, TimelineView>>> frame_{this};
    Wishes<std::optional<BesideNumbers>> compare_{this};

    struct Alignment {
        BesideOrigin origin;
        StepSearch inA, inB;
    };
    std::optional<Alignment> aligning_;                        // search in progress
    std::optional<std::pair<QString, TimelineView>> framing_;  // frame whose spans are not all read

    SpanCache spans_;
    QString run_;  // run of spans_
};

}  // namespace dasgd::gui
