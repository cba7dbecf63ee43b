// Results of communication computed on the tensors themselves, where all ranks lie in one process: the backends
// `threads` and `virtual`.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/comm/communicator.h"

namespace dasgd {

// Element by element over the tensors, in a new one. Sums go pairwise in the order given: they repeat to the last bit,
// and the mean of 2^n equal values is exact.
[[nodiscard]] at::Tensor reducePairwise(std::vector<at::Tensor> tensors, Reduce op);

// Puts the result of a collective into every rank's `out`; reductions as reducePairwise in rank order. All ranks have
// arrived; the calls are of one kind.
void carryOut(std::vector<std::optional<CollectiveCall>>& arrivals);

// Delivers a message by copying it. Throws CommError where the two ends name different numbers of bytes, or types.
void copyMessage(const at::Tensor& from, Rank sender, at::Tensor to);

// Checks that two ranks launched the same collective in the same place of `group`. Throws CommError, naming both, where
// they did not.
void checkSame(const Group& group, std::uint64_t number, Rank openedBy, const CollectiveCall& opened, Rank mineBy,
               const CollectiveCall& mine);

}  // namespace dasgd
