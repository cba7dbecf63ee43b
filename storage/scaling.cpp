#include "storage/scaling.h"
#include "core/base/metric_names.h"

#include <vector>

namespace dasgd::storage {

namespace {

Result<std::vector<MetricAtStep>> evaluations(RunReader& reader, const std::string& runId, const char* metric) {
    DASGD_ASSIGN(const MetricAnswer answer, reader.metrics({.runId = runId, .name = metric}));
    std::vector<MetricAtStep> values;
    values.reserve(answer.samples.size());
    for (const MetricSample& sample : answer.samples) values.push_back({sample.step, sample.value});
    return values;
}

}  // namespace

Settings settingsOf(const RunRow& row) {
    Settings settings = dasgd::settingsOf(row.config);
    settings.try_emplace("algorithm.name", row.algorithm);
    settings.try_emplace("cluster.backend", row.backend);
    settings.try_emplace("cluster.workers", std::to_string(row.workers));
    settings.try_emplace("train.seed", std::to_string(row.seed));
    return settings;
}

Result<RunTimes> readRunTimes(RunReader& reader, const std::string& runId) {
    RunTimes times;
    DASGD_ASSIGN(const RunRow row, reader.row(runId));
    times.stepMs = row.stepMs;
    DASGD_ASSIGN(times.accuracies, evaluations(reader, runId, metrics::kEvalAccuracy));
    DASGD_ASSIGN(times.losses, evaluations(reader, runId, metrics::kEvalLoss));
    return times;
}

Result<std::optional<MetricSample>> readTargetReached(RunReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const MetricAnswer answer, reader.metrics({.runId = runId, .name = metrics::kTargetReached}));
    if (answer.samples.empty()) return std::optional<MetricSample>();
    return std::optional(answer.samples.front());
}

std::optional<double> secondsOf(const MetricSample& reached, std::optional<double> stepMs) {
    if (!stepMs) return std::nullopt;
    return static_cast<double>(reached.step) * *stepMs * 1e-3;
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
            .samplesPerS = row.samplesPerS};
}

}  // namespace dasgd::storage
