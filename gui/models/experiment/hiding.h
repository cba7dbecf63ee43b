// Whether the averages of planned runs will hide behind computation, by formula: T_m of a ring over the emulated link
// (core/cost), T_c as a recorded run of the same model and batch measured it. Pure; any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/configuration.h"
#include "gui/models/experiment/dry_run.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

// A finished run whose steps were timed by a real clock.
struct TimedRun {
    Settings step;           // what the time of a local step depends on
    double stepSeconds = 0;  // waiting left out
    QString run;
};
// The newest of them first; older ones are left out where there are many.
[[nodiscard]] std::vector<TimedRun> timedRuns(std::span<const RunItemPtr> runs);
// The newest that computes the same step: model, batch, precision, threads, backend. Null where none does.
[[nodiscard]] const TimedRun* measuredStep(const Settings& planned, const std::vector<TimedRun>& timed);

// Seconds of averaging all weights once over the emulated link; nullopt without one.
[[nodiscard]] std::optional<double> averageSeconds(const Settings& planned, qint64 parameters);

struct Hiding {
    double compute = 0, communication = 0;  // seconds of a step, of an average
    int period = 0, delay = 0;              // of the run that exposes most
    double exposed = 0;                     // seconds of each of its rounds; 0 where all is hidden
    int enough = 0;                         // smallest delay that hides the average
    std::size_t exposing = 0, counted = 0;  // runs
    QString run;                            // that measured the step

    // What hides the average: the period has to be as long as the delay.
    [[nodiscard]] int enoughPeriod() const { return std::max(period, enough); }
    // "5.1 ms of each average will not hide with d = 1, in 3 of 9 runs; d ≥ 3 would. …"
    [[nodiscard]] QString inWords() const;
};

// Of the planned runs with a period and a delay over an emulated link whose step was measured; nullopt where there are
// none.
[[nodiscard]] std::optional<Hiding> forecastHiding(const std::vector<PlannedRun>& planned,
                                                   std::span<const RunItemPtr> runs);

}  // namespace dasgd::gui
