#include "core/train/device/sample_places.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "tests/support/gpu/host_device.h"

namespace dasgd::test {
namespace {

Samples bytes() {
    Samples samples;
    samples.inputs = torch::arange(6 * 3 * 4 * 5, torch::kInt64).remainder(251).to(torch::kByte).view({6, 3, 4, 5});
    samples.targets = torch::arange(6, torch::kInt64);
    samples.scale = {.mean = {0.1, 0.2, 0.3}, .deviation = {0.5, 0.6, 0.7}};
    samples.augmentation = {.pad = 2, .mirror = true};
    return samples;
}

void expectSameBatches(const Samples& there, const Samples& here) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const at::Tensor indices = torch::tensor({5, 0, 3}, torch::kInt64);
        const Batch expected = makeBatch(here, indices, at::kFloat, seed);
        (void)HostWaits::take();
        const Batch batch = makeBatch(there, indices, at::kFloat, seed);
        EXPECT_THAT(HostWaits::take(), ::testing::IsEmpty());
        EXPECT_EQ(batch.inputs.device(), kAccelerator);
        EXPECT_TRUE(asHost(batch.inputs).equal(expected.inputs)) << seed;
        EXPECT_TRUE(asHost(batch.targets).equal(expected.targets));
    }
}

TEST(SamplePlaces, WhatIsResidentMakesTheSameBatches) {
    HostDevice device;
    const DataParams params;
    SamplePlaces places(params, &device);
    const SamplePlaces::Placed placed = places.place(bytes());
    EXPECT_EQ(placed.bring, nullptr);
    expectSameBatches(placed.samples, bytes());
}

TEST(SamplePlaces, SetsThatShareMemoryShareItThere) {
    HostDevice device;
    const DataParams params;
    SamplePlaces places(params, &device);
    const Samples all = bytes();
    const Samples train = selected(all, torch::tensor({0, 2, 4, 5}, torch::kInt64), SampleUse::kTraining);
    const Samples validation = selected(all, torch::tensor({1, 3}, torch::kInt64), SampleUse::kEvaluation);
    const auto one = places.place(train), two = places.place(validation);
    EXPECT_EQ(one.samples.inputs.data_ptr(), two.samples.inputs.data_ptr());
    const at::Tensor first = torch::tensor({1}, torch::kInt64);
    EXPECT_TRUE(asHost(makeBatch(two.samples, first, at::kFloat).inputs)
                    .equal(makeBatch(validation, first, at::kFloat).inputs));
}

TEST(SamplePlaces, PrefetchLeavesThemOnTheHost) {
    HostDevice device;
    DataParams params;
    params.deviceData = "prefetch";
    const auto placed = SamplePlaces(params, &device).place(bytes());
    EXPECT_EQ(placed.bring, &device);
    EXPECT_TRUE(placed.samples.inputs.is_cpu());
}

TEST(SamplePlaces, OnTheProcessorNothingMoves) {
    const DataParams params;
    const Samples samples = bytes();
    const auto placed = SamplePlaces(params, nullptr).place(samples);
    EXPECT_EQ(placed.bring, nullptr);
    EXPECT_EQ(placed.samples.inputs.data_ptr(), samples.inputs.data_ptr());
}

}  // namespace
}  // namespace dasgd::test
