#include "experiments/run/session/resumed_experiment.h"

#include <cmath>

#include "core/analysis/runs/configuration.h"
#include "experiments/config/document.h"

namespace dasgd::experiments {

Status checkResumable(storage::RunReader& reader, const storage::RunRow& run) {
    if (run.status == "queued" || run.status == "running") {
        DASGD_ASSIGN(const auto lost, reader.lost(run.runId));
        if (!lost) return fail("run " + run.runId + " is " + run.status + "; stop it first: dasgd stop " + run.runId);
    }
    if (run.status == "finished") {
        return fail("run " + run.runId + " has finished, at step " + std::to_string(run.steps) +
                    "; there is nothing left of it to train");
    }
    if (run.imported()) return fail("run " + run.runId + " was imported from a trace: it cannot be run");
    return {};
}

Result<CheckedExperiment> withWorkers(const Value& document, const CheckedExperiment& before, int workers) {
    if (!before.elastic) {
        return fail("a run of " + before.algorithm + " goes on with as many workers as it had, " +
                    std::to_string(before.workers) +
                    ": what it keeps belongs to ranks of that number. Leave --workers out");
    }
    const auto checked = [&](const std::string& steps) -> Result<CheckedExperiment> {
        Overrides overrides{.set = {"cluster.workers=" + std::to_string(workers),
                                    "cluster.before.workers=" + std::to_string(before.workers)}};
        if (!steps.empty()) overrides.set.push_back("train.steps=" + steps);
        DASGD_ASSIGN(std::vector<CheckedExperiment> experiments, checkExperiments(document, overrides));
        return std::move(experiments.front());
    };
    DASGD_ASSIGN(CheckedExperiment now, checked(""));
    const auto* steps = valueAt<std::int64_t>(before.resolved, "train", "steps");
    if (!steps || *steps == 0) return now;
    const double longer =
        before.ofData ? now.stepsPerEpoch / before.stepsPerEpoch : static_cast<double>(before.workers) / workers;
    // Less a part that is only rounding.
    return checked(std::to_string(static_cast<std::int64_t>(std::ceil(static_cast<double>(*steps) * longer - 1e-6))));
}

namespace {

// Compares settings without those that withWorkers() changes.
bool sameButForWorkers(Settings a, Settings b) {
    for (Settings* each : {&a, &b}) {
        for (const char* key : {"cluster.workers", "cluster.before.workers", "train.steps"}) each->erase(key);
    }
    return a == b;
}

}  // namespace

Result<ResumePoint> checkedResumePoint(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                       const std::string& runId, const CheckedExperiment& experiment,
                                       std::optional<std::int64_t> step) {
    DASGD_ASSIGN(const storage::RunRow run, reader.row(runId));
    DASGD_TRY(checkResumable(reader, run));
    DASGD_ASSIGN(FoundResumePoint from, resumePointOf(paths, reader, run, step));
    logDoubts(from);
    const std::string others =
        "run " + runId + " had other settings than this experiment; `dasgd show " + runId + "` tells them";
    if (from.point.ranks == experiment.workers) {
        if (run.config == toTomlDocument(experiment.resolved)) return std::move(from.point);
        return fail(others);
    }
    if (!sameButForWorkers(dasgd::settingsOf(run.config), settingsOf(experiment.resolved))) return fail(others);
    const Value cluster = sectionOf(experiment.resolved, "cluster");
    const auto* before = valueAt<std::int64_t>(cluster, "before", "workers");
    if (before && *before == from.point.ranks) return std::move(from.point);
    return fail("run " + runId + " was of " + std::to_string(from.point.ranks) + " workers, this experiment is of " +
                std::to_string(experiment.workers) + ": to go on with others, it has to say so by cluster.before");
}

}  // namespace dasgd::experiments
