#include "experiments/tools/advise/advice_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// T_m = 143 ms of a step of 60 ms, contention that asks for a period of more than the delay.
ClusterFacts slowNetwork() {
    return {.workers = 8,
            .stepSeconds = 0.060,
            .backwardShare = 0.5,
            .reduceSeconds = 0.143,
            .bytes = 102e6,
            .contention = 0.1,
            .memoryBytesPerSecond = 1e15,
            .link = {.alpha = 25e-6, .beta = 8e-10},
            .batchSize = 32};
}

constexpr double kOverhead = 0.02;

AdviceRange rangeOf(const ConstantsUncertainty& uncertainty) {
    return adviceRange(slowNetwork(), uncertainty, kOverhead, advise(slowNetwork(), kOverhead));
}

std::string wordsOf(const ConstantsUncertainty& uncertainty) {
    return inWords(rangeOf(uncertainty), uncertainty, advise(slowNetwork(), kOverhead));
}

// Slow and plain: every constant in fine steps over its interval.
TEST(AdviceRange, HasEveryAdviceWithinTheIntervals) {
    const ConstantsUncertainty uncertainty{.step = 0.1, .exchange = 0.25, .contention = std::pair(0.02, 0.2)};
    const AdviceRange range = rangeOf(uncertainty);
    std::int64_t leastPeriod = 1000, mostPeriod = 0, leastDelay = 1000, mostDelay = 0;
    for (int i = 0; i <= 20; ++i) {
        for (int j = 0; j <= 20; ++j) {
            for (int k = 0; k <= 20; ++k) {
                ClusterFacts one = slowNetwork();
                one.stepSeconds *= 0.9 + 0.2 * i / 20;
                one.reduceSeconds *= 0.75 + 0.5 * j / 20;
                one.contention = 0.02 + 0.18 * k / 20;
                const Advice advice = advise(one, kOverhead);
                leastPeriod = std::min(leastPeriod, advice.period);
                mostPeriod = std::max(mostPeriod, advice.period);
                leastDelay = std::min(leastDelay, advice.delay);
                mostDelay = std::max(mostDelay, advice.delay);
            }
        }
    }
    EXPECT_EQ(range.leastPeriod, leastPeriod);
    EXPECT_EQ(range.mostPeriod, mostPeriod);
    EXPECT_EQ(range.leastDelay, leastDelay);
    EXPECT_EQ(range.mostDelay, mostDelay);
    EXPECT_LT(range.leastDelay, range.mostDelay);
    EXPECT_THAT(wordsOf(uncertainty), HasSubstr("T_c ± 10.0 %, T_m ± 25.0 %, κ 0.02"));
    EXPECT_THAT(wordsOf(uncertainty),
                HasSubstr("d = " + std::to_string(leastDelay) + " to " + std::to_string(mostDelay)));
}

// κ = 0.1 takes 143/11 = 13 ms of each round: τ = 11 leaves 2 % of a step. A step of τ is 60 + 13/τ ms.
TEST(AdviceRange, PeriodsWhoseStepsTheConstantsCannotTellApartAreNamed) {
    ASSERT_EQ(advise(slowNetwork(), kOverhead).period, 11);
    const ConstantsUncertainty uncertainty{.step = 0.02};
    const double advised = 60 + 13.0 / 11;
    std::int64_t shortest = 11;
    while (60 + 13.0 / static_cast<double>(shortest - 1) <= advised * 1.02) --shortest;
    ASSERT_LT(shortest, 11);
    ASSERT_GT(shortest, 3);
    EXPECT_EQ(rangeOf(uncertainty).shortestAlike, shortest);
    EXPECT_THAT(wordsOf(uncertainty), HasSubstr("τ = " + std::to_string(shortest) + " to 11 cannot be told apart"));
    EXPECT_EQ(rangeOf({.step = 1e-9}).shortestAlike, 11);
}

TEST(AdviceRange, SaysWhereTheAdviceHoldsAndWhereNothingIsKnown) {
    EXPECT_THAT(wordsOf({.step = 1e-6, .exchange = 1e-6}),
                AllOf(HasSubstr("is the same within the intervals"), HasSubstr("κ counted as exact")));
    EXPECT_THAT(wordsOf({}), HasSubstr("count as exact"));
    EXPECT_THAT(wordsOf({.exchange = 1e-6}), HasSubstr("; T_c and κ counted as exact"));
    EXPECT_GE(rangeOf({.step = 1}).leastDelay, 1) << "a step of no time is none";
}

TEST(AdviceRange, TheUncertaintyIsThatOfTheDocument) {
    const auto of = [](const std::string& text) { return uncertaintyOf(parseToml(text, "f").value()); };
    const ConstantsUncertainty known =
        of("[compute]\nuncertainty = { step_time = 0.03, exchange = 0, contention = [0.05, 0.2] }\n");
    EXPECT_EQ(known.step, 0.03);
    EXPECT_EQ(known.exchange, 0);
    EXPECT_EQ(known.contention, std::pair(0.05, 0.2));
    EXPECT_FALSE(of("[compute]\nstep_time = \"1ms\"\n").isKnown());
    EXPECT_FALSE(of("name = \"a\"\n").isKnown());
}

}  // namespace
}  // namespace dasgd::experiments
