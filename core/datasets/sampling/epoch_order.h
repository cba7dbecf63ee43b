// Order of an epoch over the whole training set, and a rank's part of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <mutex>
#include <utility>

#include "core/base/ids.h"

namespace dasgd {

// One order of all samples for each epoch, from (seed, epoch) alone. Any thread: the ranks of a process share one, so
// that each permutation is drawn once.
class EpochOrder {
public:
    EpochOrder(std::int64_t samples, bool shuffled, std::uint64_t seed)
        : samples_(samples), shuffled_(shuffled), seed_(seed) {}
    // [samples], int64. Must not be written to.
    [[nodiscard]] at::Tensor of(std::int64_t epoch);

private:
    [[nodiscard]] at::Tensor make(std::int64_t epoch) const;

    const std::int64_t samples_;
    const bool shuffled_;
    const std::uint64_t seed_;
    std::mutex mutex_;
    std::pair<std::int64_t, at::Tensor> newest_{-1, {}};
};

// A rank's part of an epoch, as torch.utils.data.DistributedSampler assigns it: every P-th sample from the rank's own
// number on. Samples beyond a multiple of P are dropped, or the parts are filled up with the first samples of the
// order. The rule is torch's; the permutation is not: torch seeds with seed + epoch, so that run seed 1 repeats in its
// second epoch what run seed 2 did in its first.
[[nodiscard]] at::Tensor shareOf(const at::Tensor& order, Rank rank, int workers, bool dropLast);

}  // namespace dasgd
