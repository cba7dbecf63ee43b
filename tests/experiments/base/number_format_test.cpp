#include "experiments/base/number_format.h"

#include <gmock/gmock.h>

#include <limits>

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;

TEST(NumberFormat, AColumnHasTheSameDecimals) {
    EXPECT_THAT(alike({3.97, 19.83, 82.991, std::nullopt}), ElementsAre("3.97", "19.83", "82.99", "–"));
    EXPECT_THAT(alike({0.08123, 2.302585}), ElementsAre("0.0812", "2.3026"));
    EXPECT_THAT(alike({304, 250}), ElementsAre("304", "250"));
    EXPECT_THAT(alike({0.0, 24310.4, 803.2}), ElementsAre("0", "24310", "803"));
    EXPECT_THAT(alike({0.0, 0.0}), ElementsAre("0", "0"));
}

TEST(NumberFormat, WhatIsSmallDoesNotReadAsNothing) {
    EXPECT_THAT(alike({2.5, 1.25e-9}), ElementsAre("2.50e+00", "1.25e-09"));
    EXPECT_THAT(alike({0.004, 304.0}), ElementsAre("0.0040", "304.0000"));
    EXPECT_THAT(alike({3e9, 2.0}), ElementsAre("3.00e+09", "2.00e+00"));
}

TEST(NumberFormat, WhatIsNotFiniteDoesNotCount) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(alike({1.5, inf, -inf, nan}), ElementsAre("1.50", "inf", "-inf", "nan"));
}

TEST(NumberFormat, ASampleHasItsIntervalInTheSameDecimals) {
    const NumberFormat two{.decimals = 2};
    EXPECT_EQ(two.text(Sample{.n = 3, .mean = 12.5, .std = 0.5, .confidence = 1.2421}), "12.50 ± 1.24");
    EXPECT_EQ(two.text(Sample{.n = 1, .mean = 12.5}), "12.50");
    EXPECT_EQ(two.text(Sample{}), "–");
    EXPECT_EQ(kPercentFormat.text(Sample{.n = 1, .mean = 0.997}, 100), "99.7");
}

}  // namespace
}  // namespace dasgd::experiments
