// What every rank does, whoever started it: opens its communicator, trains, tells how it ended. Sees torch.
#pragma once

#include <memory>
#include <string>

#include "core/comm/communicator.h"
#include "core/train/experiment.h"
#include "core/train/worker.h"
#include "experiments/config/sweep.h"
#include "experiments/launch/rank_group.h"

namespace dasgd::experiments {

// The document of a run's folder, or a file with overrides that stands for one experiment. Errors: sweeps too.
[[nodiscard]] Result<Experiment> readSingleExperiment(const std::string& file, const Overrides& overrides);

// With the experiment's emulated link around it, where it has one.
[[nodiscard]] std::unique_ptr<Communicator> withLink(std::unique_ptr<Communicator> comm, const Experiment& experiment,
                                                     Clock& clock);

[[nodiscard]] std::chrono::milliseconds deadlineOf(const Experiment& experiment);

// Trains and turns the outcome into a report.
[[nodiscard]] RankReport trainRank(const Experiment& experiment, const WorkerEnvironment& environment);

// A rank that failed before it could train.
[[nodiscard]] RankReport failedRank(int rank, const Error& error, EventSink* sink);

// Ends the process at once: destructors of the network library could wait for peers that are gone.
[[noreturn]] void leave(int exitCode);

}  // namespace dasgd::experiments
