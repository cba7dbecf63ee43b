// Contract of a part of a training set, whatever keeps the samples.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdint>

#include "core/datasets/samples.h"

namespace dasgd::test {

inline void expectSameBatch(const Batch& batch, const Batch& expected) {
    EXPECT_TRUE(batch.inputs.equal(expected.inputs));
    EXPECT_TRUE(batch.targets.equal(expected.targets));
}

// `all`: at least three samples that differ. Takes some of them for `use`, not in their order, and some of those: they
// are the same samples, in the order in which they were named.
inline void expectSelects(const Samples& all, SampleUse use) {
    constexpr std::uint64_t kSeed = 7;
    const auto indices = [](std::vector<std::int64_t> values) { return torch::tensor(values, torch::kInt64); };
    const auto taken = [](const Samples& samples, const at::Tensor& which) {
        return makeBatch(samples, which, torch::kDouble, kSeed);
    };
    const std::int64_t last = all.count() - 1, middle = all.count() / 2;
    ASSERT_GE(last, 2);
    // A column: indices need not lie side by side.
    const at::Tensor wanted = indices({last, -1, 0, -1, middle, -1}).view({3, 2}).select(1, 0);
    const Samples some = selected(all, wanted, use);
    EXPECT_EQ(some.count(), 3);
    EXPECT_EQ(all.count(), last + 1) << "the whole set is as it was";
    const Batch expected = taken(all, indices({last, 0, middle}));
    ASSERT_FALSE(expected.inputs[0].equal(expected.inputs[1])) << "samples that cannot be told apart show nothing";
    ASSERT_FALSE(expected.inputs[1].equal(expected.inputs[2]));
    expectSameBatch(taken(some, indices({0, 1, 2})), expected);
    expectSameBatch(taken(some, indices({2, 0, 2})), taken(all, indices({middle, last, middle})));
    const Samples one = selected(some, indices({1}), use);
    EXPECT_EQ(one.count(), 1);
    expectSameBatch(taken(one, indices({0})), taken(all, indices({0})));
}

}  // namespace dasgd::test
