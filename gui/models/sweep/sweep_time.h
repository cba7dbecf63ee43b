// About how long planned runs take: their steps, each as long as a step of the newest finished run with the same
// settings was measured to be, else as long as the forecast of its round says. Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <vector>

#include "gui/models/experiment/dry_run.h"
#include "gui/models/forecast/forecast_case.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct SweepTime {
    // Reading the settings of more runs than these would be felt.
    static constexpr std::size_t kMostPlanned = 100, kMostMeasured = 512;

    double seconds = 0;                       // of the known runs' steps, one run after the other
    qint64 known = 0, looked = 0, total = 0;  // runs: with a known step, looked at, planned
    qint64 forecast = 0;                      // of the known ones, those whose step no run has measured
    qint64 whole = 0;                         // of the known ones, those that were simulated: start and evaluations too
    bool simulated = false;                   // some are of a simulated cluster
    QStringList from;                         // runs that measured the steps, each once
    std::vector<std::optional<double>> each;  // seconds of the steps of each run that was looked at

    // "about 6.2 min", "4.1 s for 2 of 9 runs", "not known".
    [[nodiscard]] QString inWords() const;
    // What it is from, what it leaves out.
    [[nodiscard]] QString basis() const;
};

// The same settings: all but seeds, name, and how long to train. Of a simulated run counts how long this computer took
// for it, and the forecast of a simulated cluster is none of that. `cases`: of the same planned runs.
[[nodiscard]] SweepTime sweepTime(const std::vector<PlannedRun>& planned, qint64 total,
                                  std::span<const RunItemPtr> runs, std::span<const ForecastCase> cases = {});

// "10 s", "6.2 min", "3.0 h", "2.5 days".
[[nodiscard]] QString roughly(double seconds);

}  // namespace dasgd::gui
