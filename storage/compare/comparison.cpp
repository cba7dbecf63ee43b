#include "storage/compare/comparison.h"

#include <algorithm>

#include "core/base/metric_names.h"
#include "storage/compare/external_load.h"
#include "storage/compare/scaling.h"
#include "storage/write/imported_run.h"

namespace dasgd::storage {

namespace {

EvaluationCurve evaluationsOf(const MetricAnswer& answer) {
    std::vector<EvaluationCurve::Point> points;
    points.reserve(answer.samples.size());
    for (const MetricSample& sample : answer.samples) points.push_back({sample.samples, sample.value});
    return EvaluationCurve(points);
}

// The source of a run's times: a link is emulated if the cluster has one and time is real.
TimeSource timeSourceOf(const RunRow& row, const Settings& settings) {
    if (row.imported()) return TimeSource::Imported;
    if (row.timeSimulated) return TimeSource::Simulated;
    const auto bandwidth = settings.find("cluster.link.bandwidth");
    const bool emulated = bandwidth != settings.end() && !bandwidth->second.empty();
    return emulated ? TimeSource::EmulatedLink : TimeSource::Measured;
}

std::string emulatedLinkOf(const Settings& settings) {
    const auto latency = settings.find("cluster.link.latency");
    return settings.at("cluster.link.bandwidth") + ", " + (latency == settings.end() ? "" : latency->second);
}

Result<EvaluationCurve> readEvaluations(MetricReader& reader, const std::string& runId, const char* name) {
    DASGD_ASSIGN(const MetricAnswer answer, reader.samples({.runId = runId, .name = name}));
    return evaluationsOf(answer);
}

// The record with which the run reached the target, or its own where none is asked for.
Result<std::optional<MetricSample>> readReached(MetricReader& reader, const std::string& runId,
                                                const std::optional<Target>& target) {
    if (!target) return readTargetReached(reader, runId);
    DASGD_ASSIGN(const MetricAnswer judged, readJudged(reader, runId, target->metric));
    const MetricSample* first = firstReaching(*target, judged.samples);
    return first ? std::optional(*first) : std::nullopt;
}

// Seconds until the last evaluation of a run that did not reach the target.
Result<std::optional<double>> readSecondsInVain(MetricReader& reader, const std::string& runId, Target::Metric metric,
                                                const TrainedSeconds& trained) {
    DASGD_ASSIGN(const MetricAnswer judged, readJudged(reader, runId, metric));
    const auto last = std::ranges::max_element(judged.samples, {}, &MetricSample::step);
    return last == judged.samples.end() ? std::nullopt : trained.at(*last);
}

void addWayToTarget(ComparedRun& run, const MetricSample& reached, const TrainedSeconds& trained) {
    run.secondsToTarget = trained.at(reached);
    run.stepsToTarget = static_cast<double>(reached.step);
    run.samplesToTarget = static_cast<double>(reached.samples);
    run.bytesToTarget = static_cast<double>(reached.bytesSent);
}

}  // namespace

Result<RunSetup> readSetup(RunReader& reader, const RunRow& row) {
    const Settings settings = settingsOf(row);
    DASGD_ASSIGN(const RunProvenance ran, reader.provenance(row.runId));
    return setupOf(settings, timeSourceOf(row, settings), machineOf(ran.host, ran.cpu, ran.hosts));
}

Result<bool> readDisturbed(WorkspaceReader& reader, const RunRow& row) {
    DASGD_ASSIGN(const std::vector<ExternalLoad> loads, readExternalLoad(reader, row));
    return std::ranges::any_of(loads, &ExternalLoad::disturbs);
}

Result<ComparedRun> readComparedRun(WorkspaceReader& reader, const RunRow& row, const std::optional<Target>& target) {
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
                    .skewMs = row.skewS ? std::optional(*row.skewS * 1e3) : std::nullopt,
                    .inflation = row.inflation,
                    .bytesSent = static_cast<double>(row.bytesSent),
                    .samples = static_cast<double>(row.samples)};
    run.time = timeSourceOf(row, run.settings);
    if (run.time == TimeSource::EmulatedLink) run.emulatedLink = emulatedLinkOf(run.settings);
    if (!run.finished) return run;
    DASGD_ASSIGN(run.setup, readSetup(reader.runs(), row));
    DASGD_ASSIGN(run.disturbed, readDisturbed(reader, row));
    run.partlyRead = isPartlyRead(row);
    DASGD_ASSIGN(run.losses, readEvaluations(reader.metrics(), row.runId, metrics::kEvalLoss));
    DASGD_ASSIGN(run.accuracies, readEvaluations(reader.metrics(), row.runId, metrics::kEvalAccuracy));
    DASGD_ASSIGN(const EvaluationCurve perplexities,
                 readEvaluations(reader.metrics(), row.runId, metrics::kEvalPerplexity));
    run.language = !perplexities.empty();
    if (choosesOnValidation(run.settings)) {
        DASGD_ASSIGN(run.chosen, readEvaluations(reader.metrics(), row.runId, metrics::kEvalChosenAccuracy));
        DASGD_ASSIGN(run.chosenLosses, readEvaluations(reader.metrics(), row.runId, metrics::kEvalChosenLoss));
    }
    DASGD_ASSIGN(const auto reached, readReached(reader.metrics(), row.runId, target));
    const std::optional<Target> wanted = target ? target : targetOf(run.settings);
    if (!reached && !wanted) return run;
    DASGD_ASSIGN(const TrainedSeconds trained, readTrainedSeconds(reader.metrics(), row));
    if (reached) {
        addWayToTarget(run, *reached, trained);
    } else {
        DASGD_ASSIGN(run.secondsWithoutTarget, readSecondsInVain(reader.metrics(), row.runId, wanted->metric, trained));
    }
    return run;
}

Result<Comparison> compareRuns(WorkspaceReader& reader, const std::vector<std::string>& runIds,
                               const std::string& baseline) {
    std::vector<ComparedRun> runs;
    for (const std::string& runId : runIds) {
        DASGD_ASSIGN(const RunRow row, reader.runs().row(runId));
        DASGD_ASSIGN(ComparedRun run, readComparedRun(reader, row));
        runs.push_back(std::move(run));
    }
    return dasgd::compareRuns(runs, baseline);
}

}  // namespace dasgd::storage
