// One worker process: a child of the launcher, or started by hand (torchrun, srun, mpirun).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "experiments/config/sweep.h"
#include "experiments/ranks/meeting/rank_environment.h"

namespace dasgd::experiments {

// The launcher's task for its child. Journal, control page, meeting point and experiment are in the run's folder.
struct ChildTask {
    std::string file, workspace, runId;
    int rank = 0;        // first rank of this process; `threads` runs all ranks in it
    Ns origin = 0;       // raw monotonic clock of the run's start
    pid_t launcher = 0;  // the process to die with
    std::string resume;  // folder of a run's checkpoints, and of which step: where the run goes on from; "": nowhere
    std::int64_t resumeStep = 0;
};

// From now on the kernel ends this process with `launcher`, which is its parent; it ends here where that died before.
void dieWith(pid_t launcher);

// Trains the rank (or ranks) and writes a RankReport each to kReportDescriptor. Does not return: leaves without tearing
// down a network library whose peers may be dead. Exit status 0: finished or stopped, 1: failed.
[[noreturn]] void runChild(const ChildTask& task);

struct WorkerByHandTask {
    std::string file, workspace;
    Overrides overrides;
    RankEnvironment environment;
    bool json = false;
    bool resume = false;                   // resume the run with the same settings that ended early in the workspace
    std::string from;                      // run to resume, of the same settings or another number of workers; "": none
    std::optional<std::int64_t> fromStep;  // step of the checkpoint to resume from; nullopt: the newest
};

// Trains one rank, and records it into the workspace itself. Rank 0 names the run. Does not return; exit status as
// `run`.
[[noreturn]] void runWorkerByHand(const WorkerByHandTask& task);

}  // namespace dasgd::experiments
