// `dasgd run FILE --on NAME` of a profile of kind "ssh": every experiment of the file, one after the other.
#pragma once

#include <optional>
#include <string>

#include "experiments/base/stop_signals.h"
#include "experiments/config/cluster_profile.h"
#include "experiments/config/sweep.h"
#include "experiments/run/launch/progress.h"

namespace dasgd::experiments {

// The part of a `dasgd run` command line that concerns clusters.
struct ClusterTask {
    std::string file;
    Overrides overrides;
    bool json = false, resume = false, quiet = false;
    bool detach = false;  // SLURM: submit, and do not wait
    bool dryRun = false;  // check everything, tell where ranks would run, start nothing
    int restarts = 0;     // over ssh: how often a run that fails starts again
};

// The exit status of `dasgd run`.
[[nodiscard]] int runOnHosts(const ClusterProfile& profile, const ClusterTask& task, StopSignals& signals);

// `dasgd resume RUN --on NAME`: a run of the first host's workspace that ended early, with `workers` where they are to
// be others. The exit status of `dasgd run`.
[[nodiscard]] int resumeOnHosts(const ClusterProfile& profile, const std::string& run, std::optional<int> workers,
                                const ClusterTask& task, StopSignals& signals);

}  // namespace dasgd::experiments
