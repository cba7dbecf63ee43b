#include "core/train/device/prefetched_batches.h"

#include <torch/types.h>

#include <utility>
#include <vector>

namespace dasgd {

std::unique_ptr<Arrival> PrefetchedBatches::bringNext() {
    const std::optional<Batch> batch = next_();
    if (!batch) return nullptr;
    return device_.bring({batch->inputs, batch->targets});
}

std::optional<Batch> PrefetchedBatches::take() {
    if (!std::exchange(begun_, true)) ahead_ = bringNext();
    if (!ahead_) return std::nullopt;
    const std::unique_ptr<Arrival> arrived = std::move(ahead_);
    std::vector<at::Tensor> tensors = arrived->take();
    ahead_ = bringNext();
    return Batch{std::move(tensors[0]), std::move(tensors[1])};
}

}  // namespace dasgd
