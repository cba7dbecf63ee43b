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

TEST(Statistics, ClaimsNoSpreadOfOneValue) {
    EXPECT_EQ(summarise({7}).n, 1u);
    EXPECT_FALSE(summarise({7}).std);
    EXPECT_EQ(summarise({}).n, 0u);
}

}  // namespace
}  // namespace dasgd
