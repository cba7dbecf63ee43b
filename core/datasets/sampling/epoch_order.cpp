#include "core/datasets/sampling/epoch_order.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include "core/base/random.h"

namespace dasgd {

at::Tensor EpochOrder::make(std::int64_t epoch) const {
    if (!shuffled_) return torch::arange(samples_, torch::kInt64);
    const auto counter = static_cast<std::uint64_t>(epoch);
    return torch::randperm(
        samples_, at::detail::createCPUGenerator(streamSeed(seed_, kEveryRank, StreamPurpose::Shuffle, counter)),
        torch::kInt64);
}

at::Tensor EpochOrder::of(std::int64_t epoch) {
    const std::lock_guard lock(mutex_);
    if (newest_.first == epoch) return newest_.second;
    at::Tensor order = make(epoch);
    // A rank that lags behind draws its order again, and leaves the newest to the others.
    if (epoch > newest_.first) newest_ = {epoch, order};
    return order;
}

at::Tensor shareOf(const at::Tensor& order, Rank rank, int workers, bool dropLast) {
    const std::int64_t samples = order.numel();
    const std::int64_t share = dropLast ? samples / workers : (samples + workers - 1) / workers;
    const at::Tensor places = torch::arange(share, torch::kInt64) * workers + rank.value();
    return order.index_select(0, places.remainder(samples));
}

}  // namespace dasgd
