#include "core/train/timing/timing_records.h"

#include <utility>

#include "core/base/metric_names.h"
#include "core/train/timing/timed_windows.h"

namespace dasgd {

namespace {

double seconds(Ns ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

TimingRecords::TimingRecords(Executor& executor, EventSink& sink, const Plan& plan, Rank rank, RecordMetric metric)
    : executor_(executor), sink_(sink), plan_(plan), rank_(rank), metric_(std::move(metric)) {}

void TimingRecords::recordWindows() {
    for (const CleanWindow& window : executor_.takeWindows()) {
        timedSteps_ += window.steps;
        timed_ += window.length();
        if (executor_.level() != TraceLevel::Off) {
            sink_.span({.lane = Lane::Io,
                        .kind = SpanKind::Window,
                        .step = window.lastStep,
                        .start = window.time.start,
                        .end = window.time.end,
                        .bytes = window.steps});
        } else {
            // Recorded here because there are no spans from which the collector could add it up.
            recordTimed();
        }
        if (window.length() > 0) recordThroughput(window);
    }
}

void TimingRecords::recordThroughput(const CleanWindow& window) {
    const auto samples =
        static_cast<double>(plan_.samplesAfter(window.lastStep) - plan_.samplesAfter(window.lastStep - window.steps));
    const double rate = samples / seconds(window.length());
    if (rank_.hasUnboundedSkew) {
        metric_(metrics::kRankSamplesPerS, rate / rank_.trainers);
    } else if (rank_.reportsForRun) {
        metric_(metrics::kSamplesPerS, rate);
    }
}

void TimingRecords::recordTimed() {
    metric_(metrics::kTimedSteps, static_cast<double>(timedSteps_));
    metric_(metrics::kTimedSeconds, seconds(timed_));
}

void TimingRecords::stepMade(Ns now) {
    ++stepsToReport_;
    madeAt_ = now;
    if (stepsToReport_ >= plan_.totalSteps / kReportsOfRun) recordSteps();
}

void TimingRecords::recordSteps() {
    if (stepsToReport_ == 0) return;
    metric_(metrics::kTrainStepMs, seconds(madeAt_ - reportedAt_) * 1e3 / static_cast<double>(stepsToReport_));
    reportedAt_ = madeAt_;
    stepsToReport_ = 0;
}

}  // namespace dasgd
