// Another run beside the watched one: where both are at one step, what is drawn of the other, and what a step of each
// is made of in one stretch.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "core/analysis/trace_diff.h"
#include "gui/models/live/live_query.h"
#include "gui/models/timeline/span_cache.h"
#include "gui/models/traces/step_search.h"

namespace dasgd::gui {

// The same instant of both: the start of a step, or of the run where no step is asked for or one of them has not got
// it.
struct BesideOrigin {
    QString a, b;
    std::optional<std::int64_t> step;  // that it is the start of
    Ns ofA = 0, ofB = 0;
    TimeRange extentOfB;
};

struct BesideNumbers {
    QString a, b;
    TimeRange ofA, ofB;    // the stretch, on the time line of each
    bool tooMany = false;  // more spans than are read: nothing is told
    StepParts partsOfA, partsOfB;
};

class BesideQuery final : public LiveQuery {
    Q_OBJECT

public:
    static constexpr std::size_t kMostSpans = 400'000;  // of one run, that are read for the numbers

    BesideQuery() : LiveQuery(Priority::Drawing) {}
    // Of each kind the latest request counts.
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

    std::mutex mutex_;  // guards the requests
    std::optional<BesideOrigin> align_;
    std::optional<std::pair<QString, TimelineView>> frame_;
    std::optional<BesideNumbers> compare_;

    struct Alignment {
        BesideOrigin origin;
        StepSearch inA, inB;
    };
    std::optional<Alignment> aligning_;  // under way

    SpanCache spans_;
    QString run_;  // that spans_ is of
};

}  // namespace dasgd::gui
