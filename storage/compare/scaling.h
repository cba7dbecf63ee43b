// Reads from stored runs the facts that core/analysis/runs/scaling.h and configuration.h work on.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/analysis/runs/scaling.h"
#include "core/analysis/runs/settings_reader.h"
#include "core/base/result.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::storage {

// The settings of a run's resolved configuration. Algorithm, backend, workers and seed are taken from the row where the
// configuration lacks them or cannot be read.
[[nodiscard]] Settings settingsOf(const RunRow& row);
// settingsOf() for one of many runs, which share most of their tables.
[[nodiscard]] Settings settingsOf(const RunRow& row, SettingsReader& reader);

// The evaluations of the run on the set that targets are judged on: the validation set where there is one, else the
// test set. Errors: of the database.
[[nodiscard]] Result<MetricAnswer> readJudged(MetricReader& reader, const std::string& runId, Target::Metric metric);
// Errors: of the database.
[[nodiscard]] Result<RunTimes> readRunTimes(WorkspaceReader& reader, const std::string& runId);

// The record of the run's own target (train.target_accuracy, train.target_loss); nullopt where it has none or did not
// reach it.
[[nodiscard]] Result<std::optional<MetricSample>> readTargetReached(MetricReader& reader, const std::string& runId);

// Time for which a run had trained at each evaluation, in seconds, without evaluations and checkpoints.
struct TrainedSeconds {
    bool timeSimulated = false;               // evaluations take no simulated time: their instant says it
    std::map<std::int64_t, double> recorded;  // in real time: seconds by step
    // nullopt where it was not recorded: a run of a real cluster before eval/trained_s was (storage/format.md).
    [[nodiscard]] std::optional<double> at(const MetricSample& evaluation) const;
};
// Errors: of the database.
[[nodiscard]] Result<TrainedSeconds> readTrainedSeconds(MetricReader& reader, const RunRow& row);

[[nodiscard]] ScalingRun scalingRun(const RunRow& row, const LinePlace& place, const RunTimes& times,
                                    const std::optional<Target>& target);

}  // namespace dasgd::storage
