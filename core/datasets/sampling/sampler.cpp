#include "core/datasets/sampling/sampler.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/datasets/samples.h"

namespace dasgd {

PassSource shardPasses(const std::vector<std::int64_t>& shard, bool shuffled, std::uint64_t seed, Rank rank) {
    const at::Tensor samples = torch::tensor(shard, torch::kInt64);
    if (!shuffled) return [samples](std::int64_t) { return samples; };
    return [samples, seed, rank](std::int64_t pass) {
        const auto counter = static_cast<std::uint64_t>(pass);
        auto generator =
            at::detail::createCPUGenerator(streamSeed(seed, rank.value(), StreamPurpose::Shuffle, counter));
        return samples.index_select(0, torch::randperm(samples.size(0), generator, torch::kInt64));
    };
}

PassSource rowPasses(const std::vector<std::int64_t>& share, std::int64_t rows, std::int64_t batches) {
    DASGD_CHECK(std::ssize(share) >= rows * batches);
    return [order = inRows(torch::tensor(share, torch::kInt64), rows, batches)](std::int64_t) { return order; };
}

Sampler::Sampler(PassSource passes) : passes_(std::move(passes)), order_(passes_(0)) {
    DASGD_CHECK(order_.numel() > 0);
}

// The next `count` samples, or fewer at the end of a pass; at least one.
at::Tensor Sampler::upTo(std::int64_t count) {
    if (position_ == order_.size(0)) {
        order_ = passes_(++pass_);
        position_ = 0;
    }
    const std::int64_t take = std::min(count, order_.size(0) - position_);
    position_ += take;
    return order_.slice(0, position_ - take, position_);
}

at::Tensor Sampler::next(std::int64_t count) {
    std::vector<at::Tensor> parts;
    for (std::int64_t needed = count; needed > 0; needed -= parts.back().size(0)) parts.push_back(upTo(needed));
    return parts.size() == 1 ? parts[0] : torch::cat(parts);
}

void Sampler::skip(std::int64_t count) {
    while (count > 0) count -= upTo(count).size(0);
}

}  // namespace dasgd
