#include "core/train/device/prefetched_batches.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <stdexcept>

#include "tests/support/gpu/host_device.h"

namespace dasgd::test {
namespace {

TEST(PrefetchedBatches, AreOneAheadInOrderAndEnd) {
    HostDevice device;
    int made = 0;
    PrefetchedBatches batches(device, [&]() -> std::optional<Batch> {
        if (made == 3) return std::nullopt;
        ++made;
        return Batch{torch::full({2}, made), torch::full({1}, -made)};
    });
    EXPECT_EQ(made, 0) << "nothing is made before the first is asked for";
    for (int i = 1; i <= 3; ++i) {
        const std::optional<Batch> batch = batches.take();
        ASSERT_TRUE(batch);
        EXPECT_EQ(batch->inputs.device(), kAccelerator);
        EXPECT_TRUE(asHost(batch->inputs).eq(i).all().item<bool>());
        EXPECT_TRUE(asHost(batch->targets).eq(-i).all().item<bool>());
        EXPECT_EQ(made, std::min(i + 1, 3));
        EXPECT_EQ(device.brought(), made);
    }
    EXPECT_FALSE(batches.take());
    EXPECT_FALSE(batches.take());
}

TEST(PrefetchedBatches, WhatMakingOneThrowsReachesTheOwner) {
    HostDevice device;
    PrefetchedBatches batches(device, []() -> std::optional<Batch> { throw std::runtime_error("damaged"); });
    EXPECT_THROW((void)batches.take(), std::runtime_error);
}

}  // namespace
}  // namespace dasgd::test
