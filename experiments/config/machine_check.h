// Checks that this machine has the GPUs and libraries that the ranks of an experiment need. A process of its own does
// it and ends at once, because libraries of drivers stay loaded and hold memory of a GPU.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

// LibTorch's libraries for GPUs may come over a network's file system.
inline constexpr Ns kMachinePatience = 120'000'000'000;

// Runs `program`, a `dasgd`, with the hidden command check-machine, and kills it when `patience` is over. `cluster`:
// the [cluster] of an experiment. Answers what was found, in words. Errors: what is missing and what to do.
[[nodiscard]] Result<std::string> askAboutMachine(const Value& cluster, const std::string& program = kOwnProgram,
                                                  Ns patience = kMachinePatience);

// Checks the machine only if the ranks of the experiment need more than every machine has.
[[nodiscard]] Status checkMachine(const CheckedExperiment& experiment, const std::string& program = kOwnProgram);

// The JSON that this process prints.
[[nodiscard]] std::string machineAnswer(const Result<std::string>& found);

}  // namespace dasgd::experiments
