// One run from its row in the database to its last record: starts the ranks, collects their records, ends them.
#pragma once

#include <memory>
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
};

// Owner: main's thread, for its whole life (the ranks end with it).
class Launcher {
public:
    Launcher(storage::Store& store, StopSignals& signals, Progress::Style style)
        : store_(store), signals_(signals), style_(style) {}

    // `title` is what the progress bar shows. Errors: the run could not even be written down (disk full …).
    Result<LaunchedRun> run(const CheckedExperiment& experiment, const Provenance& provenance,
                            const std::string& title);

private:
    // What a run has before its first rank starts.
    struct Prepared {
        RunControl control;
        std::unique_ptr<storage::Recorder> recorder;
    };
    Result<Prepared> prepare(const CheckedExperiment& experiment, const storage::RunInfo& info);
    GroupOutcome train(const CheckedExperiment& experiment, const storage::RunInfo& info, Prepared& prepared,
                       const std::string& title);

    storage::Store& store_;
    StopSignals& signals_;
    Progress::Style style_;
};

// What the database keeps of a run before its first step.
[[nodiscard]] storage::RunInfo describeRun(const CheckedExperiment& experiment, const Provenance& provenance);
// Writes the resolved experiment beside the run's records, with a copy of the file that its network is read from.
[[nodiscard]] Status writeRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info,
                                   const std::filesystem::path& networkFile);

}  // namespace dasgd::experiments
