// Launches one run on this host: writes its row, starts the processes of its ranks, collects their records, and ends
// them.
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
#include "experiments/run/launch/progress.h"
#include "experiments/run/launch/rank_processes.h"
#include "experiments/run/record/provenance.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

// Result of a run that has ended, or that was never started.
struct LaunchedRun {
    std::string runId;
    // Status in the database: finished, failed or stopped; interrupted where ranks ended without a report or their
    // records are lost, and queued where an entry of the queue was asked to stop before it started.
    std::string status;
    std::string error;  // one sentence; "" where there is none
    bool died = false;  // a process of the run was killed or crashed, without a report of its own
};

// Place of a run among the runs of one command. storage::RunInfo holds the same, with another convention: there size 0
// is a run of its own.
struct SeriesPlace {
    std::string series;  // id of the first run of the series; "": this run is the first
    // Number of this run in the series, from 0, and the number of its runs. 1: a run of its own; 0: several, it is not
    // known how many.
    std::int64_t place = 0, size = 1;
    bool waits = false;  // the run waits for other commands; then even a run of its own is recorded as a series
};

// The checkpoint from which a run resumes.
struct ResumePoint {
    std::string runId;                  // run that saved the checkpoint
    std::filesystem::path checkpoints;  // folder with the checkpoints of that run
    std::int64_t step = 0;              // step of the checkpoint
    int ranks = 0;                      // number of ranks that saved it
    Ns wall = 0;                        // instant of that run's clock at which it was saved
};

// A run that is recorded in the workspace and not started. `dasgd stop` can stop it before it starts.
struct QueuedRun {
    storage::RunInfo info;
    std::optional<ResumePoint> resume;
    // Page through which other processes stop, hold or reorder the run; nullopt where the files of the run could not be
    // written, for the reason in `problem`.
    std::optional<RunControl> control;
    std::string problem;
    // Answers of that page; false and 0 without one.
    [[nodiscard]] bool stopRequested() const { return control && control->stopRequested(); }
    [[nodiscard]] double turn() const { return control ? control->turn() : 0; }
    [[nodiscard]] bool isHeld() const { return control && control->isHeld(); }
};

// Owner: the main thread, because the kernel ends the processes of the ranks with the thread that started them.
class Launcher {
public:
    Launcher(storage::Store& store, StopSignals& signals, Progress::Style style)
        : store_(store), signals_(signals), style_(style) {}

    // Records the run as `queued` and writes its files. Errors: its row could not be written (lab.db removed, disk full
    // …). Where only its files could not be written, the answer has a `problem`, and run() records the run as failed.
    Result<QueuedRun> queue(const CheckedExperiment& experiment, const Provenance& provenance, const SeriesPlace& place,
                            const std::optional<ResumePoint>& resume = {});
    // Records a run that was not started as `stopped`. Errors: the row could not be written.
    Status cancel(const QueuedRun& queued);
    // Starts the ranks and follows them to their end. `title`: text before the progress bar. `meanwhile`: called about
    // ten times a second while ranks run; may be empty. Errors: the database could not be written. A run that fails is
    // no error: its status and reason are in the answer.
    Result<LaunchedRun> run(QueuedRun queued, const CheckedExperiment& experiment, const std::string& title,
                            const std::function<void()>& meanwhile);

private:
    Result<std::unique_ptr<storage::Recorder>> startRecorder(const CheckedExperiment& experiment,
                                                             const storage::RunInfo& info);
    ProcessesOutcome train(const CheckedExperiment& experiment, QueuedRun& queued, storage::Recorder& recorder,
                           const std::string& title, const std::function<void()>& meanwhile);

    storage::Store& store_;
    StopSignals& signals_;
    Progress::Style style_;
};

// Forms the row of a run from its settings and provenance: all fields but runId, clockOrigin, those of the series and
// those of the run that it resumes from, which the caller sets.
[[nodiscard]] storage::RunInfo describeRun(const CheckedExperiment& experiment, const Provenance& provenance);
// Writes `info.config` as experiment.toml into the folder of the run and makes its folder of logs. `networkFile`:
// copied into artefacts/; empty: the model is not read from a file. Errors: the folder cannot be written, or the file
// cannot be copied.
[[nodiscard]] Status writeRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info,
                                   const std::filesystem::path& networkFile);

}  // namespace dasgd::experiments
