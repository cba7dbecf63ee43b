#include "core/datasets/sampling/ordered_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace dasgd {
namespace {

using Numbers = std::vector<double>;

// λ by bisection of Σ max(ε/n, a/λ) = 1, which falls as λ grows.
double lambdaOf(const Numbers& values, double floor) {
    const double least = floor / static_cast<double>(values.size());
    double low = 0, high = std::accumulate(values.begin(), values.end(), 0.0) / (1 - floor);
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (const double value : values) sum += std::max(least, value / middle);
        (sum > 1 ? low : high) = middle;
    }
    return (low + high) / 2;
}

double secondMoment(const Numbers& values, const std::function<double(std::size_t)>& probability) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * values[i] / probability(i);
    return sum;
}

Numbers drawn(std::size_t count, std::mt19937_64& random, double deviation) {
    std::lognormal_distribution<double> any(0, deviation);
    Numbers values(count);
    for (double& value : values) value = any(random);
    return values;
}

TEST(OrderedWeights, EqualNumbersAreEquallyLikely) {
    for (const double value : {0.0, 1.0, 3e-7, 2e9}) {
        const OrderedWeights weights(Numbers(37, value), 0.3);
        for (std::size_t i = 0; i < 37; ++i) EXPECT_NEAR(weights.probability(i), 1.0 / 37, 1e-15);
    }
    const OrderedWeights all({1, 100, 3}, 1);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(all.probability(i), 1.0 / 3) << "a floor of 1";
}

TEST(OrderedWeights, ProbabilitiesAddUpAndAreTheBestAboveTheFloor) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 50; ++trial) {
        const double floor = 0.05 + 0.9 * static_cast<double>(random() % 1000) / 1000;
        Numbers values = drawn(2 + random() % 40, random, 2);
        if (trial % 3 == 0) values[0] = 0;
        const OrderedWeights weights(values, floor);
        const auto n = static_cast<double>(values.size());
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_GE(weights.probability(i), floor / n);
            sum += weights.probability(i);
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        const auto best = [&](std::size_t i) { return weights.probability(i); };
        const double least = secondMoment(values, best), total = std::accumulate(values.begin(), values.end(), 0.0);
        const auto mixture = [&](std::size_t i) { return floor / n + (1 - floor) * values[i] / total; };
        EXPECT_LE(least, secondMoment(values, mixture) * (1 + 1e-12)) << "the mixture has the same floor";
        EXPECT_LE(least, n * secondMoment(values, [](std::size_t) { return 1.0; }) * (1 + 1e-12)) << "uniform";
        // Probability moved from any sample to any other, as far as the floor lets it, makes it no better.
        for (int move = 0; move < 20; ++move) {
            const std::size_t from = random() % values.size(), to = random() % values.size();
            if (from == to) continue;
            const double moved = 0.3 * (best(from) - floor / n);
            const auto other = [&](std::size_t i) { return best(i) - (i == from ? moved : 0) + (i == to ? moved : 0); };
            EXPECT_GE(secondMoment(values, other), least * (1 - 1e-12));
        }
    }
}

// 10⁵ changes, among them equal numbers and zeros; then everything is compared with numbers that never changed.
TEST(OrderedWeights, LambdaIsThatOfBruteForceAfterManyChanges) {
    std::mt19937_64 random(2);
    std::lognormal_distribution<double> any(0, 3);
    Numbers values(1000, 1.0);
    constexpr double kFloor = 0.4;
    OrderedWeights weights(values, kFloor);
    for (int change = 1; change <= 100'000; ++change) {
        const std::size_t i = random() % values.size();
        values[i] = random() % 10 == 0 ? static_cast<double>(random() % 3) : any(random);
        weights.set(i, values[i]);
        if (change % 5000 != 0 && change > 50) continue;
        const double expected = lambdaOf(values, kFloor);
        ASSERT_NEAR(weights.lambda(), expected, 1e-10 * expected) << change;
    }
    const OrderedWeights fresh(values, kFloor);
    EXPECT_EQ(weights.lambda(), fresh.lambda()) << "to the last bit: sums depend on the numbers alone";
    for (int i = 0; i < 1000; ++i) {
        const double uniform = (i + 0.5) / 1000;
        EXPECT_EQ(weights.find(uniform), fresh.find(uniform));
    }
}

// Each number is found by an interval of `uniform` as long as its probability.
TEST(OrderedWeights, FindsEachNumberWithItsProbability) {
    const Numbers values{0.1, 5, 0, 2, 2, 0.3, 9};
    const OrderedWeights weights(values, 0.5);
    constexpr int kSteps = 200'000;
    std::vector<int> times(values.size());
    for (int i = 0; i < kSteps; ++i) ++times[weights.find((i + 0.5) / kSteps)];
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(times[i]) / kSteps, weights.probability(i), 2.0 / kSteps) << i;
    }
    EXPECT_LT(weights.find(1 - 0x1p-53), values.size());
}

}  // namespace
}  // namespace dasgd
