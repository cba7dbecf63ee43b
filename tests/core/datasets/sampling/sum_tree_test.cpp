#include "core/datasets/sampling/sum_tree.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace dasgd {
namespace {

// The first number at which a running sum exceeds `sum`.
std::size_t found(const std::vector<double>& values, double sum) {
    double running = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if ((running += values[i]) > sum) return i;
    }
    return values.size();
}

// Whole numbers, whose sums are exact whatever their order.
TEST(SumTree, FindsWhatARunningSumFinds) {
    std::mt19937_64 random(3);
    for (const std::size_t size : {1U, 2U, 3U, 8U, 13U, 64U, 100U}) {
        std::vector<double> values(size);
        for (double& value : values) value = static_cast<double>(1 + random() % 9);
        SumTree tree(values);
        for (int change = 0; change < 200; ++change) {
            const std::size_t i = random() % size;
            // One number stays above 0.
            values[i] = static_cast<double>(random() % 4 == 0 && i > 0 ? 0 : 1 + random() % 9);
            tree.set(i, values[i]);
            const double total = std::accumulate(values.begin(), values.end(), 0.0);
            ASSERT_EQ(tree.total(), total);
            const auto sum = static_cast<double>(random() % static_cast<std::uint64_t>(total));
            ASSERT_EQ(tree.find(sum), found(values, sum)) << size;
            ASSERT_EQ(tree.find(sum + 0.5), found(values, sum + 0.5)) << size;
        }
    }
}

TEST(SumTree, WhatCameBeforeLeavesNoTrace) {
    std::mt19937_64 random(5);
    std::lognormal_distribution<double> any(0, 8);
    std::vector<double> values(77, 1.0);
    SumTree tree(values);
    for (int change = 0; change < 10'000; ++change) {
        const std::size_t i = random() % values.size();
        values[i] = any(random);
        tree.set(i, values[i]);
    }
    EXPECT_EQ(tree.total(), SumTree(values).total()) << "to the last bit";
}

TEST(SumTree, NeverFindsANumberThatIsZero) {
    SumTree tree({0, 0.1, 0, 0.2, 0, 0, 0});
    for (int i = 0; i < 1000; ++i) {
        const std::size_t place = tree.find(tree.total() * i / 1000);
        EXPECT_TRUE(place == 1 || place == 3);
    }
    EXPECT_EQ(tree.find(tree.total()), 3U) << "a sum that rounding made too large";
}

}  // namespace
}  // namespace dasgd
