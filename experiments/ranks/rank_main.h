// The main function of a rank, whoever started it: trains and reports its end. Sees torch.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/backends/backend.h"
#include "core/experiment/experiment.h"
#include "core/train/worker.h"
#include "experiments/config/sweep.h"
#include "experiments/run/launch/rank_processes.h"

namespace dasgd::experiments {

// The document of a run's folder, or a file with overrides that stands for one experiment. Errors: sweeps too.
[[nodiscard]] Result<Experiment> readSingleExperiment(const std::string& file, const Overrides& overrides);

// What the ranks of this process train with, whoever started them.
struct RanksSetup {
    const Experiment& experiment;
    HostRequest host;
    const TrainingData* data = nullptr;  // that they share; null: each loads its own
    EvaluationBoard* evaluations = nullptr;
    StepGate* gate = nullptr;                            // null: that of the host
    const CheckpointEnvironment* checkpoints = nullptr;  // null: nothing is saved
    std::filesystem::path folder;                        // of the run
};

// Opens the backend and trains. `ended`: called with the report of each rank by its thread, before the network library
// is torn down; that is left out where a rank failed, as it can take until the deadline of a dead peer. False where one
// failed. Errors: whatever keeps the ranks from starting.
using RankEnded = std::function<void(const RankReport& report)>;
[[nodiscard]] Result<bool> trainRanks(RanksSetup setup, const RankEnded& ended);

// A rank that failed before it could train.
[[nodiscard]] RankReport failedRank(int rank, const Error& error, EventSink* sink);

// Ends the process at once: destructors of the network library could wait for peers that are gone.
[[noreturn]] void leave(int exitCode);

}  // namespace dasgd::experiments
