#include "experiments/run/session/run_session.h"

#include "core/base/log.h"
#include "experiments/config/machine_check.h"
#include "experiments/run/host/host_room.h"

namespace dasgd::experiments {

RunSession::RunSession(storage::Store store, const std::filesystem::path& folder, StopSignals& signals,
                       Progress::Style style)
    : store_(std::move(store)),
      signals_(signals),
      provenance_(collectProvenance(folder)),
      launcher_(store_, signals, style) {}

Result<std::unique_ptr<RunSession>> RunSession::open(const std::string& workspace, const std::filesystem::path& folder,
                                                     StopSignals& signals, Progress::Style style) {
    DASGD_ASSIGN(auto store, storage::Store::open(std::filesystem::absolute(workspace)));
    if (store.recovered() > 0 && style != Progress::Style::Silent) {
        logLine(LogLevel::Info,
                "took in the records of " + std::to_string(store.recovered()) + " run(s) whose owner had died");
    }
    return std::unique_ptr<RunSession>(new RunSession(std::move(store), folder, signals, style));
}

Status RunSession::checkMachine(const CheckedExperiment& experiment) {
    DASGD_TRY(checkRoom(experiment, hostRoom()));
    if (!experiment.layout.onGpus) return {};
    const std::string cluster = experiment.resolved.find("cluster")->toToml();
    if (machineSuits_.contains(cluster)) return {};
    DASGD_TRY(experiments::checkMachine(experiment));
    machineSuits_.insert(cluster);
    return {};
}

Result<LaunchedRun> RunSession::run(const CheckedExperiment& experiment, const std::string& title) {
    DASGD_ASSIGN(QueuedRun queued, queue(experiment, series_.value_or(SeriesPlace{})));
    if (series_) {
        series_->series = queued.info.series;
        ++series_->place;
    }
    return run(std::move(queued), experiment, title, {});
}

Result<QueuedRun> RunSession::queue(const CheckedExperiment& experiment, const SeriesPlace& place,
                                    const std::optional<ResumePoint>& resume) {
    DASGD_TRY(checkMachine(experiment));
    begun_ = true;
    return launcher_.queue(experiment, provenance_, place, resume);
}

Result<LaunchedRun> RunSession::run(QueuedRun queued, const CheckedExperiment& experiment, const std::string& title,
                                    const std::function<void()>& meanwhile) {
    return launcher_.run(std::move(queued), experiment, title, meanwhile);
}

Result<std::string> RunSession::runToTheEnd(const CheckedExperiment& experiment, const std::string& title) {
    DASGD_ASSIGN(const LaunchedRun launched, run(experiment, title));
    if (launched.status == "finished") return launched.runId;
    return fail("run " + launched.runId + " " + (launched.status == "stopped" ? "was stopped" : "failed") +
                (launched.error.empty() ? "" : ": " + launched.error));
}

Result<storage::WorkspaceReader> RunSession::reader() const {
    return storage::WorkspaceReader::open(store_.paths().root);
}

}  // namespace dasgd::experiments
