// Which samples make up each batch of one worker.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace dasgd {

// Walks the worker's shard in a fresh shuffle each pass, without dropping samples; passes join inside a batch. The
// order depends on seed, rank and pass alone. Owner: the rank's training thread.
class Sampler {
public:
    Sampler(const std::vector<std::int64_t>& shard, std::int64_t batchSize, std::uint64_t seed, Rank rank);
    // [batchSize] int64 indices into the training set.
    [[nodiscard]] at::Tensor next();

private:
    void shuffle();

    at::Tensor shard_;  // [n]
    at::Tensor order_;  // [n], this pass
    std::int64_t batchSize_;
    std::uint64_t seed_;
    Rank rank_;
    std::int64_t pass_ = 0;
    std::int64_t position_ = 0;
};

}  // namespace dasgd
