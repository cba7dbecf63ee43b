// Estimated duration of planned runs: their steps, each as long as measured in the newest finished run with the same
// settings, else as forecast for its round. Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <vector>

#include "gui/data/runs/run_item.h"
#include "gui/experiment/model/document/dry_run.h"
#include "gui/experiment/model/forecast/forecast_case.h"

namespace dasgd::gui {

struct SweepTime {
    // Reading the settings of more runs would be noticeable.
    static constexpr std::size_t kMostPlanned = 100, kMostMeasured = 512;

    double seconds = 0;                       // sum over the known runs, one after the other
    qint64 known = 0, looked = 0, total = 0;  // numbers of runs: with a known step time, examined, planned
    qint64 forecast = 0;                      // known runs whose step time is forecast, not measured
    qint64 whole = 0;        // known runs with simulated time, whose steps include start and evaluations
    bool simulated = false;  // some runs are on a simulated cluster
    QStringList from;        // runs that measured the step times, each once
    std::vector<std::optional<double>> each;  // duration of each examined run, in s

    // "about 6.2 min", "4.1 s for 2 of 9 runs", "not known".
    [[nodiscard]] QString inWords() const;
    // Explains the sources of the estimate, and what it leaves out.
    [[nodiscard]] QString basis() const;
};

// Settings count as the same up to seeds, name and length of training. For a simulated run the time that this computer
// took counts, so forecasts for simulated clusters are not used. `cases`: of the same planned runs.
[[nodiscard]] SweepTime sweepTime(const std::vector<PlannedRun>& planned, qint64 total,
                                  std::span<const RunItemPtr> runs, std::span<const ForecastCase> cases = {});

// "10 s", "6.2 min", "3.0 h", "2.5 days".
[[nodiscard]] QString roughly(double seconds);

}  // namespace dasgd::gui
