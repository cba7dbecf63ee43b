// The batch script of a run on a SLURM cluster. It works with requeueing: a job that SLURM or its time limit ends early
// goes on from its checkpoint when it is started again.
#pragma once

#include <filesystem>
#include <string>

#include "experiments/config/cluster_profile.h"

namespace dasgd::experiments {

// Files in the folder of one job, which all nodes see.
struct JobFolder {
    std::filesystem::path path;
    [[nodiscard]] std::filesystem::path script() const { return path / "job.sh"; }
    [[nodiscard]] std::filesystem::path experiment() const { return path / "experiment.toml"; }
    [[nodiscard]] std::filesystem::path secret() const { return path / "secret"; }
    [[nodiscard]] std::filesystem::path output() const { return path / "output.log"; }
    // A rank that gets a signal makes this file: the job was not stopped by the user, and is put back into the queue.
    [[nodiscard]] std::filesystem::path signalled() const { return path / "signalled"; }
};

struct SlurmTask {
    std::string name;  // name of the experiment
    int ranks = 1;
    double timeoutS = 60;
    bool resume = false;  // resume even at the first start of the job
};

// Secrets are read from the folder where the job runs: none is in the script, or on a command line.
[[nodiscard]] std::string slurmScript(const ClusterProfile& profile, const SlurmTask& task, const JobFolder& folder);

}  // namespace dasgd::experiments
