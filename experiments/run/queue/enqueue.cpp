#include "experiments/run/queue/enqueue.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "experiments/run/queue/needs.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

// The file that describes the network of a virtual run; "" if there is none.
fs::path networkFileOf(const storage::WorkspacePaths& paths, const std::string& run) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(paths.run(run) / "artefacts", ignored)) {
        if (entry.path().extension() == ".xml") return entry.path();
    }
    return {};
}

}  // namespace

Result<std::string> enqueue(storage::Store& store, const CheckedExperiment& experiment, const Provenance& provenance,
                            const SeriesPlace& place, std::optional<int> restarts) {
    storage::RunInfo info = describeRun(experiment, provenance);
    info.runId = store.newRunId(info.algorithm);
    if (place.size > 1) {
        info.series = place.series.empty() ? info.runId : place.series;
        info.seriesPlace = place.place;
        info.seriesSize = place.size;
    }
    const Needs needs = needsOf(experiment.resolved);
    info.queueEntry = {.cores = needs.cores,
                       .gpus = needs.gpus,
                       .restarts = restarts.value_or(kRestartsAfterDeath),
                       .afterFailure = restarts.has_value(),
                       .replaces = {},
                       .reason = {}};
    DASGD_TRY(writeRunFiles(store.paths(), info, experiment.networkFile));
    DASGD_TRY(store.addRun(info));
    return info.runId;
}

Result<std::string> enqueueNext(storage::Store& store, const std::string& ended, const std::optional<ResumePoint>& from,
                                int restarts, const std::string& reason) {
    DASGD_ASSIGN(storage::RunInfo info, store.infoOf(ended));
    info.runId = store.newRunId(info.algorithm);
    info.clockOrigin = 0;
    info.resumedFrom = from ? from->runId : "";
    info.resumedStep = from ? from->step : 0;
    info.queueEntry = {.restarts = restarts, .replaces = ended, .reason = reason};
    DASGD_TRY(writeRunFiles(store.paths(), info, networkFileOf(store.paths(), ended)));
    DASGD_TRY(store.addRun(info));
    return info.runId;
}

Status restoreRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info) {
    std::ifstream in(paths.run(info.runId) / "experiment.toml", std::ios::binary);
    const std::string found((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in && found == info.config) return {};
    return writeRunFiles(paths, info, {});
}

}  // namespace dasgd::experiments
