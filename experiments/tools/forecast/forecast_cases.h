// The distinct rounds of a planned experiment: the swept settings, forecast times, and the delay that would hide more.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "core/cost/plan_forecast.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/tools/forecast/forecast_times.h"

namespace dasgd::experiments {

// Limits on the planned runs examined and the cases told apart.
inline constexpr std::size_t kMostForecastRuns = 100, kMostForecastCases = 40;
// No longer delay is proposed, as its effect on training is not modelled.
inline constexpr std::int64_t kMostProposedDelay = 1000;

// Cases in the order of the plan; how long their runs take is left out.
[[nodiscard]] std::vector<ForecastCase> forecastCases(const std::vector<CheckedExperiment>& planned,
                                                      const ForecastSources& sources);
// Index of the case to show first: the one with the longest wait per step among those with a remedy, else among those
// with a forecast, else the first.
[[nodiscard]] std::size_t mostExposed(const std::vector<ForecastCase>& cases);

}  // namespace dasgd::experiments
