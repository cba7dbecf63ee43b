// The runs of one command, in one workspace.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "experiments/run/launch/launcher.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

// Owner: main's thread.
class RunSession {
public:
    // `folder`: whose repository the runs' provenance names. `signals` outlives it. Errors: of the workspace.
    static Result<std::unique_ptr<RunSession>> open(const std::string& workspace, const std::filesystem::path& folder,
                                                    StopSignals& signals, Progress::Style style);

    // Checks that this machine has what the ranks need (host_room.h, config/machine_check.h). GPUs are checked once for
    // each [cluster].
    Status checkMachine(const CheckedExperiment& experiment);
    // From now on what run() makes of an experiment is one series: of a command that makes the next run by what the
    // last one said, and does not know of how many.
    void beginSeries() { series_ = SeriesPlace{.series = {}, .size = 0}; }
    // Errors: of checkMachine(); the run could not be written down. A run that failed or was stopped is none.
    Result<LaunchedRun> run(const CheckedExperiment& experiment, const std::string& title);
    // run() in three parts, as in Launcher.
    Result<QueuedRun> queue(const CheckedExperiment& experiment, const SeriesPlace& place,
                            const std::optional<ResumePoint>& resume = {});
    Result<LaunchedRun> run(QueuedRun queued, const CheckedExperiment& experiment, const std::string& title,
                            const std::function<void()>& meanwhile);
    Status cancel(const QueuedRun& queued) { return launcher_.cancel(queued); }
    Status setQueue(const std::vector<storage::QueuePlace>& places) { return store_.setQueue(places); }
    // run() for a command that needs a whole run: any status but "finished" is an error that names the run.
    Result<std::string> runToTheEnd(const CheckedExperiment& experiment, const std::string& title);
    [[nodiscard]] Result<storage::WorkspaceReader> reader() const;
    [[nodiscard]] const storage::WorkspacePaths& paths() const { return store_.paths(); }
    [[nodiscard]] bool begun() const { return begun_; }  // a run, even if it could not be written down
    [[nodiscard]] bool stopped() { return signals_.count() > 0; }

private:
    RunSession(storage::Store store, const std::filesystem::path& folder, StopSignals& signals, Progress::Style style);

    storage::Store store_;
    StopSignals& signals_;
    Provenance provenance_;
    Launcher launcher_;
    bool begun_ = false;
    std::optional<SeriesPlace> series_;   // place of the next run
    std::set<std::string> machineSuits_;  // each a [cluster]
};

}  // namespace dasgd::experiments
