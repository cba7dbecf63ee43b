// Checks before any rank starts that this host has memory for the ranks of a run: a host that runs out of memory reacts
// to no signal for minutes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

struct HostRoom {
    std::optional<double> memory;         // bytes that are available without swapping
    std::optional<std::int64_t> threads;  // number of threads that this user may still start
};

// Memory that is free now in the host and in this process's control group. Values that the system does not report are
// empty.
[[nodiscard]] HostRoom hostRoom();

// Checks the least that the ranks need: LibTorch in each process, weights and gradients of each rank. Data and
// activations need more, but are not known here, so nothing is refused that could run. Errors: the ranks do not fit,
// with a number that would.
[[nodiscard]] Status checkRoom(const CheckedExperiment& experiment, const HostRoom& room);

// Bytes of weights and gradients of a rank; nullopt on GPUs, where they are elsewhere and the GPUs bound the ranks.
[[nodiscard]] std::optional<double> bytesOfRank(const CheckedExperiment& experiment);
// checkRoom() for `here` of the `workers` ranks of a run, each a process of this host.
[[nodiscard]] Status checkRoomHere(int here, int workers, double bytesOfRank, const HostRoom& room);

}  // namespace dasgd::experiments
