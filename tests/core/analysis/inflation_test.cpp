#include "core/analysis/inflation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/analysis/statistics.h"

namespace dasgd {
namespace {

TEST(Inflation, IsToldWithHowFarItScatters) {
    // t(0.975, 3) = 3.1824: ± 3.1824 · 0.0129 / 2.
    EXPECT_EQ(inflationInWords(summarise({1.06, 1.07, 1.08, 1.09})), "1.07 ± 0.02");
    EXPECT_EQ(inflationInWords(summarise({0.9, 1.0, 1.02})), "not measurable here (0.97 ± 0.16)");
    EXPECT_EQ(inflationInWords(summarise({1.01, 0.99, 1.03})), "1.01 ± 0.05, within noise");
    EXPECT_EQ(inflationInWords(summarise({1.051, 1.052, 1.051})), "1.051 ± 0.001");
}

TEST(Inflation, BelowOneAndBeyondItsNoiseIsSaidAsItIs) {
    const Sample ranks = summarise({0.91, 0.90, 0.92});
    EXPECT_FALSE(isWithinNoise(ranks));
    EXPECT_EQ(inflationInWords(ranks), "not measurable here (0.91 ± 0.02)");
}

// t(0.975, 1) = 12.7: two runs of 1.00 and 1.05 are 1.025 ± 0.318.
TEST(Inflation, TwoRunsWhoseIntervalHoldsOneAreWithinNoise) {
    const Sample runs = inflationOfRuns({1.0, 1.05});
    EXPECT_NEAR(runs.confidence.value(), 0.318, 0.0005);
    EXPECT_TRUE(isWithinNoise(runs));
    EXPECT_TRUE(showsNone(runs));
    EXPECT_FALSE(showsNone(inflationOfRuns({1.2, 1.21}))) << "1.205 ± 0.064";
    EXPECT_EQ(inflationInWords(inflationOfRuns({0.94, 0.96})), "not measurable here (0.95 ± 0.13)");
    EXPECT_EQ(inflationInWords(inflationOfRuns({0.80, 0.82})), "not measurable here (0.81 ± 0.13)");
}

// There is no interval that 1 could lie in.
TEST(Inflation, WithoutAnIntervalNothingIsWithinNoise) {
    for (const Sample& sample :
         {inflationOfRanks({0.9, 0.9, 0.9}), inflationOfRuns({0.9, 0.9}), inflationOfRuns({0.9})}) {
        EXPECT_FALSE(isWithinNoise(sample));
        EXPECT_TRUE(showsNone(sample));
        EXPECT_EQ(inflationInWords(sample), "not measurable here (0.900)");
    }
}

TEST(Inflation, FewerThanThreeRanksDoNotTellIt) {
    EXPECT_EQ(inflationOfRanks({}).n, 0U);
    EXPECT_EQ(inflationOfRanks({1.04}).n, 0U);
    EXPECT_EQ(inflationOfRanks({1.30, 1.31}).n, 0U);
    EXPECT_EQ(inflationOfRanks({1.30, 1.31, 1.32}).n, 3U);
    EXPECT_EQ(inflationInWords(inflationOfRanks({0.52, 0.82})), "not known") << "0.67 ± 0.15 was told";
}

// 10.05 ± 39 was told of four ranks.
TEST(Inflation, AnIntervalWiderThanTheValueDoesNotTellIt) {
    EXPECT_EQ(inflationOfRanks({0.4, 1.1, 0.9, 37.8}).n, 0U);
    EXPECT_EQ(inflationOfRuns({1, 1.3}).n, 0U) << "t(0.975, 1) = 12.7: 1.15 ± 1.9";
    EXPECT_EQ(inflationOfRuns({1.2, 1.21}).n, 2U);
    // t(0.975, 2) = 4.30 ÷ √3: half the interval is 2.48 standard deviations.
    EXPECT_EQ(inflationOfRanks({0.81, 1, 1.19}).n, 3U) << "0.94 wide";
    EXPECT_EQ(inflationOfRanks({0.79, 1, 1.21}).n, 0U) << "1.04 wide";
}

// Numbers around 1 whose mean has a 95 % interval as wide as `width`.
std::vector<double> ranksWithInterval(std::size_t ranks, double width) {
    const auto n = static_cast<double>(ranks);
    const double scatter = width * std::sqrt(n) / (2 * studentT975(ranks - 1));
    const double pairs = 2 * static_cast<double>(ranks / 2);
    const double away = scatter * std::sqrt((n - 1) / pairs);
    std::vector<double> numbers(ranks, 1);
    for (std::size_t i = 0; i + 1 < ranks; i += 2) {
        numbers[i] += away;
        numbers[i + 1] -= away;
    }
    return numbers;
}

TEST(Inflation, AnIntervalAsWideAsTheValueIsTheLimitForAnyNumberOfRanks) {
    for (const std::size_t ranks : {3U, 4U, 7U, 10U, 11U, 12U, 20U, 31U, 64U, 200U}) {
        EXPECT_EQ(inflationOfRanks(ranksWithInterval(ranks, 0.999)).n, ranks);
        EXPECT_EQ(inflationOfRanks(ranksWithInterval(ranks, 1.001)).n, 0U) << ranks;
    }
}

TEST(Inflation, ASingleRunHasNoInterval) {
    EXPECT_TRUE(showsNone(inflationOfRuns({0.98})));
    EXPECT_FALSE(showsNone(inflationOfRuns({1.04})));
    EXPECT_FALSE(showsNone({}));
    EXPECT_TRUE(showsNone(summarise({0.91, 0.90, 0.92})));
    EXPECT_FALSE(showsNone(summarise({1.06, 1.07, 1.08, 1.09})));
}

// Ranks of a simulation in which nothing scatters.
TEST(Inflation, EqualRanksHaveNoInterval) {
    EXPECT_EQ(inflationInWords(inflationOfRanks({1.08, 1.08, 1.08, 1.08})), "1.080");
    EXPECT_EQ(inflationInWords(inflationOfRanks({1, 1, 1}), " ×"), "1.000 ×");
}

}  // namespace
}  // namespace dasgd
