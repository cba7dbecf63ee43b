// The forecast of planned runs from all that a workspace has measured, and its text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/cost/plan_forecast.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/run/queue/earlier_steps.h"
#include "experiments/tools/forecast/forecast_times.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

// Of each of the planned settings the steps of the newest finished run with them, where it recorded enough.
[[nodiscard]] std::vector<OwnSteps> ownSteps(storage::SpanReader& reader, const EarlierSteps& earlier,
                                             const std::vector<CheckedExperiment>& planned);
// Finished runs of `dasgd calibrate` that measured a step of `planned`: of each step and link the newest that can be
// read, or `preferred`, the id of a run. Errors of single runs leave them out.
[[nodiscard]] std::vector<KnownCalibration> knownCalibrations(storage::WorkspaceReader& reader,
                                                              const std::vector<storage::RunRow>& rows,
                                                              const std::vector<CheckedExperiment>& planned,
                                                              const std::string& preferred);

// A workspace that does not exist or cannot be read has measured nothing; the second is logged.
[[nodiscard]] PlanForecast forecastPlan(const std::vector<CheckedExperiment>& planned,
                                        const std::filesystem::path& workspace, const std::string& preferred = {});

// A table of the cases with warnings, doubts and assumptions, as comments of TOML.
[[nodiscard]] std::string forecastText(const PlanForecast& forecast);

}  // namespace dasgd::experiments
