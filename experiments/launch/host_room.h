// Whether this host has room for the ranks of a run, before one of them is started: a host that runs out of memory
// hears no signal for minutes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

struct HostRoom {
    std::optional<double> memory;         // bytes that can be had without swapping
    std::optional<std::int64_t> threads;  // that this user may still start
};

// What is free now, of the host and of the control group that this process is in. What the system does not tell is
// empty.
[[nodiscard]] HostRoom hostRoom();

// What the ranks need at the least: of each process what LibTorch takes, of each rank its weights and gradients. More
// is needed for data and activations, which are not known here, so that nothing is refused that could run. Errors: it
// does not fit, with what would.
[[nodiscard]] Status checkRoom(const CheckedExperiment& experiment, const HostRoom& room);

// Bytes of weights and gradients of a rank; nullopt on GPUs, where they are elsewhere and the GPUs bound the ranks.
[[nodiscard]] std::optional<double> bytesOfRank(const CheckedExperiment& experiment);
// The same for `here` of the `workers` ranks of a run, each a process of this host.
[[nodiscard]] Status checkRoomHere(int here, int workers, double bytesOfRank, const HostRoom& room);

}  // namespace dasgd::experiments
