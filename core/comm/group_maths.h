// What communication does to the tensors, where all of them lie in one process: the threads' and the virtual cluster's.
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

// What a message does: copies. Throws CommError where the two ends name unlike numbers of bytes, or types.
void carryOver(const at::Tensor& from, Rank sender, at::Tensor to);

// Two ranks launched these in the same place of `group`. Throws CommError, which says what both are, where they are not
// the same collective.
void checkSame(const Group& group, std::uint64_t number, Rank openedBy, const CollectiveCall& opened, Rank mineBy,
               const CollectiveCall& mine);

}  // namespace dasgd
