// `dasgd run FILE --on NAME` of a profile of kind "slurm": each experiment of the file is a job.
#pragma once

#include <functional>

#include "experiments/base/stop_signals.h"
#include "experiments/cluster/slurm/slurm_job.h"
#include "experiments/cluster/slurm/slurm_script.h"
#include "experiments/cluster/ssh/run_on_hosts.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

// Makes a new folder below `jobs`, for its owner alone, with script, experiment and secret. Errors: it cannot be
// written.
[[nodiscard]] Result<JobFolder> makeJobFolder(const std::filesystem::path& jobs, const ClusterProfile& profile,
                                              const SlurmTask& task, const std::string& experiment);

// Tells each change until the job is over; the first signal cancels it, the second leaves it to SLURM. Errors: SLURM
// does not tell of it, again and again.
[[nodiscard]] Result<SlurmJobState> followJob(const std::string& job, StopSignals& signals,
                                              const std::function<void(const SlurmJobState&)>& changed);

// The exit status of `dasgd run`.
[[nodiscard]] int runOnSlurm(const ClusterProfile& profile, const ClusterTask& task, StopSignals& signals);

}  // namespace dasgd::experiments
