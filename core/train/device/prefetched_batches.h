// Batches made on the host and copied to the device one ahead of the batch in use, beside the computation.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/gpu/tensor_device.h"
#include "core/models/model.h"

namespace dasgd {

class PrefetchedBatches {
public:
    // The next batch, on the host; empty: there are no more.
    using Next = std::function<std::optional<Batch>()>;

    // `next` is called on the owner's thread, one batch ahead. `device` outlives this.
    PrefetchedBatches(TensorDevice& device, Next next) : device_(device), next_(std::move(next)) {}

    // The next batch, on the device; the host does not wait for it. Throws what `next` throws.
    [[nodiscard]] std::optional<Batch> take();

private:
    [[nodiscard]] std::unique_ptr<Arrival> bringNext();

    TensorDevice& device_;
    Next next_;
    bool begun_ = false;
    std::unique_ptr<Arrival> ahead_;  // null where there are no more batches
};

}  // namespace dasgd
