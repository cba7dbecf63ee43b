#include "core/train/sampler.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <algorithm>

#include "core/base/check.h"

namespace dasgd {

namespace {

// SplitMix64: neighbouring seeds, ranks and passes must not give related shuffles.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

Sampler::Sampler(const std::vector<std::int64_t>& shard, std::int64_t batchSize, std::uint64_t seed, Rank rank)
    : shard_(torch::tensor(shard, torch::kInt64)), batchSize_(batchSize), seed_(seed), rank_(rank) {
    DASGD_CHECK(!shard.empty());
    shuffle();
}

void Sampler::shuffle() {
    const std::uint64_t seed =
        mix(mix(mix(seed_) + static_cast<std::uint64_t>(rank_.value())) + static_cast<std::uint64_t>(pass_));
    auto generator = at::detail::createCPUGenerator(seed);
    order_ = shard_.index_select(0, torch::randperm(shard_.size(0), generator, torch::kInt64));
    position_ = 0;
    ++pass_;
}

at::Tensor Sampler::next() {
    std::vector<at::Tensor> parts;
    for (std::int64_t needed = batchSize_; needed > 0;) {
        if (position_ == order_.size(0)) shuffle();
        const std::int64_t take = std::min(needed, order_.size(0) - position_);
        parts.push_back(order_.slice(0, position_, position_ + take));
        position_ += take;
        needed -= take;
    }
    return parts.size() == 1 ? parts[0] : torch::cat(parts);
}

}  // namespace dasgd
