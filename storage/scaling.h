// Of stored runs: what core/analysis/scaling.h and configuration.h need to know.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/scaling.h"
#include "core/base/result.h"
#include "storage/run_reader.h"

namespace dasgd::storage {

// The settings of a run's resolved configuration. What the row itself says (algorithm, backend, workers, seed) is taken
// from there where the configuration lacks it or cannot be read.
[[nodiscard]] Settings settingsOf(const RunRow& row);

// Errors: of the database.
[[nodiscard]] Result<RunTimes> readRunTimes(RunReader& reader, const std::string& runId);

// The record of the run's own target (train.target_accuracy, train.target_loss); nullopt where it has none or did not
// reach it.
[[nodiscard]] Result<std::optional<MetricSample>> readTargetReached(RunReader& reader, const std::string& runId);
// Seconds of training until then, as secondsTo() counts them.
[[nodiscard]] std::optional<double> secondsOf(const MetricSample& reached, std::optional<double> stepMs);

[[nodiscard]] ScalingRun scalingRun(const RunRow& row, const LinePlace& place, const RunTimes& times,
                                    const std::optional<Target>& target);

}  // namespace dasgd::storage
