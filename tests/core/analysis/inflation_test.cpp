#include "core/analysis/inflation.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

TEST(Inflation, IsToldWithHowFarItScatters) {
    // t(0.975, 3) = 3.1824: ± 3.1824 · 0.0129 / 2.
    EXPECT_EQ(inflationInWords(summarise({1.06, 1.07, 1.08, 1.09})), "1.07 ± 0.02");
    EXPECT_EQ(inflationInWords(summarise({0.9, 1.0, 1.02})), "0.97 ± 0.16, within noise");
    EXPECT_EQ(inflationInWords(summarise({1.01, 0.99, 1.03})), "1.01 ± 0.05, within noise");
    EXPECT_EQ(inflationInWords(summarise({1.051, 1.052, 1.051})), "1.051 ± 0.001");
}

TEST(Inflation, BelowOneAndBeyondItsNoiseIsSaidAsItIs) {
    const Sample ranks = summarise({0.91, 0.90, 0.92});
    EXPECT_FALSE(isWithinNoise(ranks));
    EXPECT_EQ(inflationInWords(ranks), "0.91 ± 0.02, below 1: none seen");
}

TEST(Inflation, OneRankHasNoInterval) {
    EXPECT_EQ(inflationInWords(summarise({1.04})), "1.04");
    EXPECT_EQ(inflationInWords(summarise({0.98})), "0.98, within noise");
    EXPECT_EQ(inflationInWords(summarise({0.98}), " ×"), "0.98 ×, within noise");
    EXPECT_EQ(inflationInWords({}), "");
    EXPECT_FALSE(showsNone({}));
}

// Each a third slower: an interval of two values, which holds 1, is no reason to call that noise.
TEST(Inflation, TwoRanksThatAgreeAreNotCalledNoise) {
    EXPECT_EQ(inflationInWords(summarise({1.30, 1.40})), "1.35 ± 0.64");
    EXPECT_EQ(inflationInWords(summarise({0.80, 0.90})), "0.85 ± 0.64, within noise");
    EXPECT_TRUE(showsNone(summarise({0.91, 0.90, 0.92})));
    EXPECT_FALSE(showsNone(summarise({1.06, 1.07, 1.08, 1.09})));
}

}  // namespace
}  // namespace dasgd
