// Sizes and samples of unequal batches (train.balance). Plain numbers; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dasgd {

// Divides `total` samples among ranks in proportion to their `rates`, which are above 0: the integer part of
// total·r/Σr each, the rest one by one in the order of the fractional parts, of equal ones the lower rank first
// (largest remainders). A rank that would have none takes one from that which has most. Precondition: total >= number
// of rates.
[[nodiscard]] std::vector<std::int64_t> batchesByRate(std::int64_t total, const std::vector<double>& rates);

// Places of the samples that `rank` takes, among those that all ranks have in a step, in the order of an epoch. The
// ranks take one each in turn, those whose batch is complete none: equal batches are those that DistributedSampler
// deals out. All ranks' places together are 0 … Σ batches − 1, so that a step has the same samples however they are
// divided.
[[nodiscard]] std::vector<std::int64_t> dealtPlaces(const std::vector<std::int64_t>& batches, std::size_t rank);

}  // namespace dasgd
