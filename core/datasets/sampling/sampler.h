// Order of samples in the batches of one worker.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/ids.h"

namespace dasgd {

// A rank's samples of pass 0, 1, …: int64 indices into the training set, at least one.
using PassSource = std::function<at::Tensor(std::int64_t pass)>;

// The rank's shard, each pass in a fresh order from (seed, rank, pass), or always as it is given.
[[nodiscard]] PassSource shardPasses(const std::vector<std::int64_t>& shard, bool shuffled, std::uint64_t seed,
                                     Rank rank);

// `share` ([rows · batches] continuous samples, or more) in `rows` rows side by side, the same each pass.
[[nodiscard]] PassSource rowPasses(const std::vector<std::int64_t>& share, std::int64_t rows, std::int64_t batches);

// Takes samples pass after pass; a batch that a pass does not fill continues in the next one. Owner: the rank's
// training thread.
class Sampler {
public:
    explicit Sampler(PassSource passes);
    // The next [count] int64 indices into the training set.
    [[nodiscard]] at::Tensor next(std::int64_t count);
    // Skips `count` samples.
    void skip(std::int64_t count);

private:
    [[nodiscard]] at::Tensor upTo(std::int64_t count);

    PassSource passes_;
    at::Tensor order_;  // order of the present pass
    std::int64_t pass_ = 0;
    std::int64_t position_ = 0;
};

}  // namespace dasgd
