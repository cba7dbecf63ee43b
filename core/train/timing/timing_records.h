// Records of a rank's training speed: from the clean windows of its executor, and, where nothing but time is simulated,
// from its clock.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/event.h"
#include "core/exec/executor.h"
#include "core/experiment/plan.h"

namespace dasgd {

class TimingRecords {
public:
    struct Rank {
        bool hasUnboundedSkew = false;  // no rank waits for another: each records its own rate
        bool reportsForRun = false;     // records the metrics of the whole run
        int trainers = 1;
    };
    using RecordMetric = std::function<void(std::string_view name, double value)>;

    // All references outlive this. Owner: the rank's training thread.
    TimingRecords(Executor& executor, EventSink& sink, const Plan& plan, Rank rank, RecordMetric metric);

    // Records the clean windows that were completed since the last call. Steps outside of windows are not timed.
    void recordWindows();
    // Records how many steps were timed, and for how long.
    void recordTimed();

    // For time-only runs: counts steps from `now` on, and records their mean length each time that enough of them
    // are made. Such a run has this in place of losses.
    void countFrom(Ns now) { reportedAt_ = now; }
    void stepMade(Ns now);
    // The same of the steps that were made since, where no further one follows.
    void recordSteps();

private:
    // Ranks that wait for each other make steps at one rate, which one of them records for all; other ranks record
    // their own.
    void recordThroughput(const CleanWindow& window);

    Executor& executor_;
    EventSink& sink_;
    const Plan& plan_;
    Rank rank_;
    RecordMetric metric_;
    std::int64_t timedSteps_ = 0;  // steps in clean windows
    Ns timed_ = 0;
    Ns reportedAt_ = 0;  // end of the last step in a train/step_ms
    Ns madeAt_ = 0;      // end of the last step
    std::int64_t stepsToReport_ = 0;
};

}  // namespace dasgd
