#include "storage/comparison.h"

#include "core/base/metric_names.h"
#include "storage/scaling.h"

namespace dasgd::storage {

namespace {

EvaluationCurve evaluationsOf(const MetricAnswer& answer) {
    std::vector<EvaluationCurve::Point> points;
    points.reserve(answer.samples.size());
    for (const MetricSample& sample : answer.samples) points.push_back({sample.samples, sample.value});
    return EvaluationCurve(points);
}

std::vector<MetricAtStep> stepsOf(const MetricAnswer& answer) {
    std::vector<MetricAtStep> steps;
    steps.reserve(answer.samples.size());
    for (const MetricSample& sample : answer.samples) steps.push_back({sample.step, sample.value});
    return steps;
}

}  // namespace

Result<ComparedRun> readComparedRun(RunReader& reader, const RunRow& row, const std::optional<Target>& target) {
    ComparedRun run{.runId = row.runId,
                    .algorithm = row.algorithm,
                    .settings = settingsOf(row),
                    .finished = row.status == "finished",
                    .startedAt = row.startedAt,
                    .stepMs = row.stepMs,
                    .finalLoss = row.finalLoss,
                    .bestAccuracy = row.bestAccuracy,
                    .hidden = row.hidden,
                    .blocked = row.blocked(),
                    .samplesPerS = row.samplesPerS,
                    .bytesSent = static_cast<double>(row.bytesSent),
                    .samples = static_cast<double>(row.samples)};
    if (!run.finished) return run;
    DASGD_ASSIGN(const MetricAnswer losses, reader.metrics({.runId = row.runId, .name = metrics::kEvalLoss}));
    DASGD_ASSIGN(const MetricAnswer accuracies, reader.metrics({.runId = row.runId, .name = metrics::kEvalAccuracy}));
    run.losses = evaluationsOf(losses);
    run.accuracies = evaluationsOf(accuracies);
    if (choosesOnValidation(run.settings)) {
        DASGD_ASSIGN(const MetricAnswer chosen,
                     reader.metrics({.runId = row.runId, .name = metrics::kEvalChosenAccuracy}));
        run.chosen = evaluationsOf(chosen);
    }
    if (target) {
        run.secondsToTarget =
            secondsTo(*target, {.stepMs = row.stepMs, .accuracies = stepsOf(accuracies), .losses = stepsOf(losses)});
    }
    return run;
}

Result<Comparison> compareRuns(RunReader& reader, const std::vector<std::string>& runIds, const std::string& baseline) {
    std::vector<ComparedRun> runs;
    for (const std::string& runId : runIds) {
        DASGD_ASSIGN(const RunRow row, reader.row(runId));
        DASGD_ASSIGN(ComparedRun run, readComparedRun(reader, row));
        DASGD_ASSIGN(const auto reached, readTargetReached(reader, runId));
        if (reached && run.finished) run.secondsToTarget = secondsOf(*reached, row.stepMs);
        runs.push_back(std::move(run));
    }
    return dasgd::compareRuns(runs, baseline);
}

}  // namespace dasgd::storage
