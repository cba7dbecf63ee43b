// Estimated duration of planned runs: their steps, each as long as those of finished runs with the same settings, else
// as forecast for its round. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/plan_forecast.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/run/queue/earlier_steps.h"

namespace dasgd::experiments {

struct PlanTime {
    double seconds = 0;                       // sum over the known runs, one after the other
    std::size_t known = 0;                    // number of runs with a known step time
    std::size_t looked = 0;                   // number of runs examined: the first kMostForecastRuns
    std::size_t total = 0;                    // number of runs
    std::size_t forecast = 0;                 // known runs whose step time is forecast, not measured
    std::size_t finished = 0;                 // finished runs that measured the step times
    bool simulated = false;                   // some runs are on a simulated cluster
    std::vector<std::optional<double>> each;  // duration of each examined run, in s

    // "about 6 min 12 s", "4.1 s for 2 of 9 runs", "not known".
    [[nodiscard]] std::string inWords() const;
    // Explains the sources of the estimate, and what it leaves out.
    [[nodiscard]] std::string basis() const;
    // Duration of the runs of a case; nullopt where that of one is not known.
    [[nodiscard]] std::optional<double> secondsOf(const ForecastCase& one) const;
};

// For a simulated run the time that this computer took counts, so forecasts for simulated clusters are not used.
// `cases`: of the same planned runs.
[[nodiscard]] PlanTime planTime(const std::vector<CheckedExperiment>& planned, const EarlierSteps& earlier,
                                const std::vector<ForecastCase>& cases);

}  // namespace dasgd::experiments
