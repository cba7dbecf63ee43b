// Mean, spread and Student's t against tables.
#include "core/analysis/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dasgd {
namespace {

TEST(Statistics, KnowsStudentsQuantiles) {
    // The closed forms that there are for one and two degrees of freedom, and the normal distribution's quantile, which
    // is the limit; the first term of its expansion in 1/n is (z^3 + z) / 4n (Abramowitz & Stegun 26.7.5).
    EXPECT_NEAR(studentT975(1), std::tan(0.475 * M_PI), 1e-11);
    EXPECT_NEAR(studentT975(2), 0.95 / std::sqrt(2 * 0.975 * 0.025), 1e-12);
    constexpr double kNormal = 1.959963984540054;
    EXPECT_NEAR(studentT975(1'000'000), kNormal + (std::pow(kNormal, 3) + kNormal) / 4e6, 1e-11);
    // Two-sided 95 % points of the usual printed table.
    EXPECT_NEAR(studentT975(1), 12.7062, 1e-4);
    EXPECT_NEAR(studentT975(2), 4.3027, 1e-4);
    EXPECT_NEAR(studentT975(3), 3.1824, 1e-4);
    EXPECT_NEAR(studentT975(4), 2.7764, 1e-4);
    EXPECT_NEAR(studentT975(5), 2.5706, 1e-4);
    EXPECT_NEAR(studentT975(30), 2.0423, 1e-4);
    EXPECT_NEAR(studentT975(20'000), 1.9600, 1e-4);
}

TEST(Statistics, MedianIsTheMiddleOne) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 4}), 4);
    EXPECT_EQ(median({9, 1, 4, 5}), 4.5);
    EXPECT_EQ(median({2, 2, 8, 0}), 2);
}

TEST(Statistics, SummarisesFiniteValues) {
    const Sample sample = summarise({1, 2, 3, 4, std::nan(""), INFINITY});
    EXPECT_EQ(sample.n, 4u);
    EXPECT_DOUBLE_EQ(sample.mean, 2.5);
    EXPECT_NEAR(*sample.std, 1.2909944, 1e-6);
    EXPECT_NEAR(*sample.confidence, 3.1824463 * 1.2909944 / 2, 1e-5);
}

TEST(Statistics, EqualValuesHaveNoSpread) {
    EXPECT_EQ(*summarise({27.41, 27.41, 27.41}).std, 0);
    EXPECT_EQ(*summarise({0.1 + 0.2, 0.3}).std, 0) << "the same but for rounding";
    EXPECT_GT(*summarise({1, 1 + 1e-9}).std, 0);
}

// Five seeds of a simulation without jitter were "19.83 ± 0 (CI ±0)".
TEST(Statistics, EqualTimesAreOneDrawAndHaveNoSpread) {
    const Sample equal = summariseTimes({19.83, 19.83, 19.83, 19.83, 19.83});
    EXPECT_EQ(equal.n, 5U);
    EXPECT_DOUBLE_EQ(equal.mean, 19.83);
    EXPECT_FALSE(equal.std || equal.confidence);
    EXPECT_TRUE(isOneDraw(equal));
    EXPECT_TRUE(summariseTimes({19.83, 19.84}).confidence);
    EXPECT_FALSE(isOneDraw(summariseTimes({19.83, 19.84})));
    EXPECT_FALSE(isOneDraw(summariseTimes({19.83}))) << "one run is not several that are alike";
    EXPECT_FALSE(welchP(equal, summariseTimes({20, 21})));
}

TEST(Statistics, ClaimsNoSpreadOfOneValue) {
    EXPECT_EQ(summarise({7}).n, 1u);
    EXPECT_FALSE(summarise({7}).std);
    EXPECT_EQ(summarise({}).n, 0u);
}

TEST(Statistics, ARatioHasTheSpreadOfBothMeans) {
    const Sample over = summarise({40, 42}), under = summarise({10, 10.5});
    const Sample ratio = ratioOf(over, under);
    EXPECT_EQ(ratio.n, 2U);
    EXPECT_DOUBLE_EQ(ratio.mean, 4);
    // Relative standard errors of 1/41 each, and two degrees of freedom.
    EXPECT_NEAR(ratio.confidence.value(), 4 * std::sqrt(2) / 41 * 4.302653, 1e-4);
    EXPECT_FALSE(ratioOf(summarise({5, 5}), summarise({2, 2})).confidence) << "equal values tell no scatter";
    EXPECT_FALSE(ratioOf(over, summariseTimes({10, 10})).confidence);
    const Sample single = ratioOf(over, summarise({20}));
    EXPECT_EQ(single.n, 1U);
    EXPECT_FALSE(single.confidence) << "one run has no spread";
    EXPECT_EQ(ratioOf(over, {}).n, 0U);
    EXPECT_EQ(ratioOf(over, summarise({0, 0})).n, 0U);
}

TEST(Statistics, WelchsTestGivesTheTextbooksNumbers) {
    // The density of Student's t integrated by Simpson's rule.
    const Sample a = summarise({27.5, 21.0, 19.0, 23.6, 17.0, 17.9});
    const Sample b = summarise({27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0});
    EXPECT_NEAR(welchP(a, b).value(), 0.201988677, 1e-6);
    EXPECT_NEAR(welchP(b, a).value(), 0.201988677, 1e-6);
    EXPECT_NEAR(welchP(summarise({1, 1.1, 0.9}), summarise({2, 2.1, 1.9})).value(), 0.0002552167, 1e-8);
    EXPECT_FALSE(welchP(a, summarise({3})));
    EXPECT_FALSE(welchP(summarise({1, 1}), summarise({1, 1})));
    EXPECT_FALSE(welchP(summarise({1, 1}), summarise({2, 2}))) << "no spread is no certainty";
    EXPECT_TRUE(welchP(summarise({1, 1}), summarise({2, 2.5})));
}

// SciPy 1.17, ttest_rel: five seeds that differ among each other more than the configurations do.
TEST(Statistics, PairsSeeThroughTheScatterOfTheSeeds) {
    const std::vector<double> a{1.2, 1.5, 1.1, 1.9, 1.4}, b{1.0, 1.4, 1.15, 1.6, 1.2};
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
    EXPECT_NEAR(*pairedP(differences), 0.06429011098598765, 1e-12);
    EXPECT_NEAR(*welchP(summarise(a), summarise(b)), 0.41582802340688135, 1e-12);
    EXPECT_FALSE(pairedP({0.5}));
    EXPECT_FALSE(pairedP({0.5, 0.5, 0.5})) << "equal differences do not show how the next would scatter";
}

TEST(Statistics, SeveralComparisonsAreAdjustedByHolm) {
    const auto adjusted = holmAdjusted({0.03, std::nullopt, 0.01, 0.04, 0.005});
    EXPECT_EQ(adjusted[1], std::nullopt);
    EXPECT_DOUBLE_EQ(*adjusted[4], 0.02);
    EXPECT_DOUBLE_EQ(*adjusted[2], 0.03);
    EXPECT_DOUBLE_EQ(*adjusted[0], 0.06);
    EXPECT_DOUBLE_EQ(*adjusted[3], 0.06) << "no smaller than the one before it";
    EXPECT_DOUBLE_EQ(*holmAdjusted({0.7, 0.6})[0], 1);
    EXPECT_DOUBLE_EQ(*holmAdjusted({0.04})[0], 0.04);
}

}  // namespace
}  // namespace dasgd
