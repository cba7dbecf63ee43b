// One run from its row in the database to its last record: starts the ranks, collects their records, ends them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/control.h"
#include "core/base/result.h"
#include "experiments/base/stop_signals.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/launch/progress.h"
#include "experiments/launch/provenance.h"
#include "experiments/launch/rank_group.h"
#include "storage/recorder.h"

namespace dasgd::experiments {

struct LaunchedRun {
    std::string runId;
    std::string status;  // finished, failed, stopped
    std::string error;
    bool died = false;  // it failed by no fault of its own: a process of it was killed, or crashed
};

// Place of a run among the runs of one command, as in storage::RunInfo.
struct SeriesPlace {
    std::string series;                // "": the run that is queued is the first
    std::int64_t place = 0, size = 1;  // size 0: of several, nobody knows yet of how many
    bool waits = false;                // behind other commands: also a single run has a place in the queue then
};

// The checkpoint that a run goes on from.
struct ResumePoint {
    std::string runId;                  // whose it is
    std::filesystem::path checkpoints;  // the folder of that run's
    std::int64_t step = 0;
    int ranks = 0;  // that saved it
    Ns wall = 0;    // that run's own time as it was saved
};

// A run that is in the workspace and not started. While it waits, `dasgd stop` can ask that it never is.
struct QueuedRun {
    storage::RunInfo info;
    std::optional<ResumePoint> resume;
    std::optional<RunControl> control;  // nothing: its files could not be written, see `problem`
    std::string problem;
    [[nodiscard]] bool stopRequested() const { return control && control->stopRequested(); }
    [[nodiscard]] double turn() const { return control ? control->turn() : 0; }
    [[nodiscard]] bool isHeld() const { return control && control->isHeld(); }
};

// Owner: main's thread, for its whole life (the ranks end with it).
class Launcher {
public:
    Launcher(storage::Store& store, StopSignals& signals, Progress::Style style)
        : store_(store), signals_(signals), style_(style) {}

    // Errors: the run could not even be written down (disk full …).
    Result<QueuedRun> queue(const CheckedExperiment& experiment, const Provenance& provenance, const SeriesPlace& place,
                            const std::optional<ResumePoint>& resume = {});
    // Gives up a run that was not started: it is `stopped`.
    Status cancel(const QueuedRun& queued);
    // `title` is what the progress bar shows; `meanwhile` is called several times a second. Errors as above.
    Result<LaunchedRun> run(QueuedRun queued, const CheckedExperiment& experiment, const std::string& title,
                            const std::function<void()>& meanwhile);

private:
    Result<std::unique_ptr<storage::Recorder>> startRecorder(const CheckedExperiment& experiment,
                                                             const storage::RunInfo& info);
    GroupOutcome train(const CheckedExperiment& experiment, QueuedRun& queued, storage::Recorder& recorder,
                       const std::string& title, const std::function<void()>& meanwhile);

    storage::Store& store_;
    StopSignals& signals_;
    Progress::Style style_;
};

// The facts that the database keeps of a run before its first step.
[[nodiscard]] storage::RunInfo describeRun(const CheckedExperiment& experiment, const Provenance& provenance);
// Writes the resolved experiment beside the run's records, with a copy of the file that its network is read from.
[[nodiscard]] Status writeRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info,
                                   const std::filesystem::path& networkFile);

}  // namespace dasgd::experiments
