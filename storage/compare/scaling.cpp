#include "storage/compare/scaling.h"

#include <utility>
#include <vector>

#include "core/base/metric_names.h"

namespace dasgd::storage {

namespace {

// Adds to the settings what only the run's row holds.
Settings completed(Settings settings, const RunRow& row) {
    settings.try_emplace("algorithm.name", row.algorithm);
    settings.try_emplace("cluster.backend", row.backend);
    settings.try_emplace("cluster.workers", std::to_string(row.workers));
    settings.try_emplace("train.seed", std::to_string(row.seed));
    return settings;
}

Result<std::vector<MetricAtStep>> evaluations(MetricReader& reader, const std::string& runId,
                                              const TrainedSeconds& trained, Target::Metric metric) {
    DASGD_ASSIGN(const MetricAnswer answer, readJudged(reader, runId, metric));
    std::vector<MetricAtStep> values;
    values.reserve(answer.samples.size());
    for (const MetricSample& sample : answer.samples) {
        values.push_back({sample.step, sample.value, trained.at(sample)});
    }
    return values;
}

}  // namespace

Settings settingsOf(const RunRow& row) { return completed(dasgd::settingsOf(row.config), row); }

Settings settingsOf(const RunRow& row, SettingsReader& reader) { return completed(reader.read(row.config), row); }

Result<MetricAnswer> readJudged(MetricReader& reader, const std::string& runId, Target::Metric metric) {
    const bool accuracy = metric == Target::Metric::Accuracy;
    const char* validated = accuracy ? metrics::kEvalValidationAccuracy : metrics::kEvalValidationLoss;
    DASGD_ASSIGN(MetricAnswer answer, reader.samples({.runId = runId, .name = validated}));
    if (!answer.samples.empty()) return answer;
    return reader.samples({.runId = runId, .name = accuracy ? metrics::kEvalAccuracy : metrics::kEvalLoss});
}

Result<RunTimes> readRunTimes(WorkspaceReader& reader, const std::string& runId) {
    RunTimes times;
    DASGD_ASSIGN(const RunRow row, reader.runs().row(runId));
    times.stepMs = row.stepMs;
    DASGD_ASSIGN(const TrainedSeconds trained, readTrainedSeconds(reader.metrics(), row));
    DASGD_ASSIGN(times.accuracies, evaluations(reader.metrics(), runId, trained, Target::Metric::Accuracy));
    DASGD_ASSIGN(times.losses, evaluations(reader.metrics(), runId, trained, Target::Metric::Loss));
    return times;
}

Result<std::optional<MetricSample>> readTargetReached(MetricReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const MetricAnswer answer, reader.samples({.runId = runId, .name = metrics::kTargetReached}));
    if (answer.samples.empty()) return std::optional<MetricSample>();
    return std::optional(answer.samples.front());
}

std::optional<double> TrainedSeconds::at(const MetricSample& evaluation) const {
    if (timeSimulated) return evaluation.wallS;
    const auto found = recorded.find(evaluation.step);
    return found == recorded.end() ? std::nullopt : std::optional(found->second);
}

Result<TrainedSeconds> readTrainedSeconds(MetricReader& reader, const RunRow& row) {
    TrainedSeconds trained{.timeSimulated = row.timeSimulated, .recorded = {}};
    if (trained.timeSimulated) return trained;
    DASGD_ASSIGN(const MetricAnswer answer, reader.samples({.runId = row.runId, .name = metrics::kTrainedSeconds}));
    for (const MetricSample& sample : answer.samples) trained.recorded.emplace(sample.step, sample.value);
    return trained;
}

ScalingRun scalingRun(const RunRow& row, const LinePlace& place, const RunTimes& times,
                      const std::optional<Target>& target) {
    return {.runId = row.runId,
            .startedAt = row.startedAt,
            .seeds = place.seeds,
            .workers = row.workers,
            .batch = place.batch,
            .stepMs = times.stepMs,
            .hidden = row.hidden,
            .secondsToTarget = target ? secondsTo(*target, times) : std::nullopt,
            .samplesPerS = row.samplesPerS,
            .reachedTarget = target && reaches(*target, times),
            .timeSimulated = row.timeSimulated};
}

}  // namespace dasgd::storage
