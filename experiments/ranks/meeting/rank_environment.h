// Reads a process's rank from the variables of the usual launchers: torchrun, mpirun (Open MPI, MPICH), srun.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace dasgd::experiments {

struct RankEnvironment {
    int rank = 0;
    int size = 1;
    std::optional<int> localRank;  // on its host
    std::string masterAddress;     // address of rank 0's host
    int masterPort = 0;
    std::string interface;  // DASGD_INTERFACE, "" where not given
    // torchrun serves the store itself, the same one for every attempt to run the ranks: which one this is, from 0.
    std::optional<int> servedAttempt;
};

// The value of an environment variable, nullopt where it is not set.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] std::optional<std::string> processEnvironment(const std::string& name);

// RANK WORLD_SIZE LOCAL_RANK, else OMPI_COMM_WORLD_*, else PMI_*, else SLURM_*. MASTER_ADDR and MASTER_PORT count in
// all cases; without them: SLURM's first host and a port made from the job's number, or this host where all ranks are
// local. Errors name the variable, what it holds and what is needed.
[[nodiscard]] Result<RankEnvironment> readRankEnvironment(const Lookup& lookup);

// Makes the file that DASGD_SIGNALLED names, if it does: a batch script tells by it that its ranks were stopped by a
// signal and not by `dasgd stop`.
void leaveSignalMark(const Lookup& lookup);

// The first host of a list of SLURM's: "rack[0-1]n[03-07,12],login" → "rack0n03".
[[nodiscard]] std::string firstHostOf(const std::string& nodeList);

}  // namespace dasgd::experiments
