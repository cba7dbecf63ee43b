// The main function of a rank, whoever started it: trains and reports its end. Sees torch.
#pragma once

#include <memory>
#include <string>

#include "core/experiment/experiment.h"
#include "core/train/worker.h"
#include "experiments/config/sweep.h"
#include "experiments/run/launch/rank_processes.h"

namespace dasgd::experiments {

// The document of a run's folder, or a file with overrides that stands for one experiment. Errors: sweeps too.
[[nodiscard]] Result<Experiment> readSingleExperiment(const std::string& file, const Overrides& overrides);

// Trains and turns the outcome into a report.
[[nodiscard]] RankReport trainRank(const Experiment& experiment, const WorkerEnvironment& environment);

// A rank that failed before it could train.
[[nodiscard]] RankReport failedRank(int rank, const Error& error, EventSink* sink);

// Ends the process at once: destructors of the network library could wait for peers that are gone.
[[noreturn]] void leave(int exitCode);

}  // namespace dasgd::experiments
