// What a collective does to the tensors, where all of them lie in one process: the threads' and the virtual cluster's.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/comm/communicator.h"

namespace dasgd {

enum class CollectiveKind : std::uint8_t { AllReduce, AllGather, Broadcast };

// One rank's part: what it gives and where the result goes. The same tensor but for an all-gather.
struct Contribution {
    at::Tensor in;
    at::Tensor out;
};

// Puts the result into every `out`. Sums go pairwise in rank order: they repeat to the last bit, and the mean of 2^n
// equal values is exact. All ranks have arrived.
void carryOut(CollectiveKind kind, Reduce op, Rank root, std::vector<std::optional<Contribution>>& arrivals);

// "rank 2: all_reduce #17 (246824 bytes)", for errors.
[[nodiscard]] std::string labelOf(Rank rank, CollectiveKind kind, std::uint64_t number, const at::Tensor& in);

// What one rank launched, as far as all ranks have to launch the same.
struct Launch {
    Rank rank;
    CollectiveKind kind{};
    Reduce op{};
    Rank root;
    at::Tensor in;
};
// `opened` came first, `mine` is in the same place. Errors: a CommError that says what both are, where they differ.
void checkSame(std::uint64_t number, const Launch& opened, const Launch& mine);

}  // namespace dasgd
