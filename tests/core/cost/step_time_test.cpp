#include "core/cost/step_time.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace dasgd {
namespace {

TEST(StepTime, DasgdIsFlatUntilTheDelayIsUsedUpThenRisesByOneOverThePeriod) {
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.143, 4, 3), 0.060);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.180, 4, 3), 0.060);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.220, 4, 3), 0.070);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.143, 4, 2), 0.060 + 0.023 / 4);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.143, 4, 0), (4 * 0.060 + 0.143) / 4);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.960, 4, 4), 0.240) << "the wire is the limit: T_m/τ";
}

// Counted through by hand: computation at rate 1/(1+κ) while the transfer goes on, and a stop after d steps until it
// ends.
double contendedRound(double compute, double communication, int period, int delay, double contention) {
    double now = 0;
    for (int step = 0; step < period; ++step) {
        const double underWay = std::max(0.0, communication - now);
        const double doneMeanwhile = std::min(compute, underWay / (1 + contention));
        now += doneMeanwhile * (1 + contention) + (compute - doneMeanwhile);
        if (step + 1 == delay) now = std::max(now, communication);
    }
    return now;
}

TEST(StepTime, ContentionCostsWhileTheTransferIsUnderWay) {
    for (const double communication : {0.0, 0.02, 0.13, 0.179, 0.181, 0.20, 0.23, 0.5}) {
        for (const int delay : {1, 3, 4}) {
            EXPECT_NEAR(dasgdStepSeconds(0.060, communication, 4, delay, 0.25),
                        contendedRound(0.060, communication, 4, delay, 0.25) / 4, 1e-15)
                << communication << " " << delay;
        }
    }
}

TEST(StepTime, TheSmallestDelayThatHides) {
    EXPECT_EQ(minimumDelay(0.14336, 0.060), 3) << "ResNet-50 on 8 workers over 10 Gb/s";
    EXPECT_EQ(minimumDelay(0.120, 0.060), 2);
    EXPECT_EQ(minimumDelay(3 * 0.1, 0.1), 3) << "3 · 0.1 is above 0.3 in doubles";
    EXPECT_EQ(minimumDelay(0.1201, 0.060), 3);
    EXPECT_EQ(minimumDelay(0, 0.060), 0);
    EXPECT_EQ(minimumDelay(0.14336, 0.060, 0.040), 4);
    EXPECT_EQ(minimumDelay(1e12, 1e-9), std::numeric_limits<int>::max()) << "more than an int holds";
    for (const double communication : {0.01, 0.06, 0.1, 0.14336, 0.59}) {
        const int delay = minimumDelay(communication, 0.060);
        EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, communication, 10, delay), 0.060);
        EXPECT_GT(dasgdStepSeconds(0.060, communication, 10, delay - 1), 0.060);
    }
}

TEST(StepTime, NormalMaximumIsExactForFewAndTabulatedForMany) {
    const double rootPi = std::sqrt(std::numbers::pi);
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 1), 0, 1e-12);
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 2), 1 / rootPi, 1e-9);
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 3), 1.5 / rootPi, 1e-9);
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 4), 3 / rootPi * (0.5 + std::asin(1.0 / 3) / std::numbers::pi), 1e-9);
    // Tippett's table of the normal range (Biometrika 17, 1925), halved.
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 10), 3.07751 / 2, 1e-5);
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 100), 5.01519 / 2, 1e-5);
    EXPECT_NEAR(expectedMaximumNormal(0, 1, 1000), 6.48287 / 2, 1e-5);
    EXPECT_DOUBLE_EQ(expectedMaximumNormal(0.06, 0.002, 8), 0.06 + 0.002 * expectedMaximumNormal(0, 1, 8));
    EXPECT_EQ(expectedMaximumNormal(0.06, 0, 8), 0.06);
}

TEST(StepTime, NormalMaximumAgreesWithDrawing) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> draw(2, 0.5);
    constexpr int kWorkers = 64, kRounds = 20000;
    double sum = 0;
    for (int round = 0; round < kRounds; ++round) {
        double slowest = draw(random);
        for (int worker = 1; worker < kWorkers; ++worker) slowest = std::max(slowest, draw(random));
        sum += slowest;
    }
    // The mean of 20,000 maxima, each with a deviation of about 0.22, is good to 0.0016.
    EXPECT_NEAR(sum / kRounds, expectedMaximumNormal(2, 0.5, kWorkers), 5 * 0.0016);
}

TEST(ExchangeStep, EachStageHidesBehindItsHalfOfTheDelay) {
    const ExchangeSeconds exchange{.first = 0.050, .second = 0.030, .encode = 0.004, .recode = 0.002, .decode = 0.001};
    const auto step = [&](int delay) { return exchangeStepSeconds(0.020, exchange, 6, delay); };
    EXPECT_DOUBLE_EQ(step(0), 0.020 + (0.050 + 0.030 + 0.007) / 6);
    EXPECT_DOUBLE_EQ(step(1), 0.020 + (0.030 + 0.030 + 0.007) / 6) << "the second stage leaves at the merge";
    EXPECT_DOUBLE_EQ(step(2), 0.020 + (0.030 + 0.010 + 0.007) / 6);
    EXPECT_DOUBLE_EQ(step(3), 0.020 + (0.010 + 0.010 + 0.007) / 6) << "two steps beside the first stage";
    EXPECT_DOUBLE_EQ(step(4), 0.020 + (0.010 + 0.007) / 6);
    EXPECT_DOUBLE_EQ(step(5), 0.020 + 0.007 / 6);
    EXPECT_DOUBLE_EQ(exchangeStepSeconds(0.020, {.first = 0.050}, 4, 1), dasgdStepSeconds(0.020, 0.050, 4, 1));
    // Computing takes 1.25 times as long beside both stages.
    EXPECT_DOUBLE_EQ(exchangeStepSeconds(0.020, exchange, 6, 6, 0.25), 0.020 + (0.080 * 0.2 + 0.007) / 6);
}

TEST(ExchangeStep, TheMinimumDelayIsTheSmallestThatHidesBothStages) {
    for (const double first : {0.0, 0.001, 0.020, 0.041, 0.100}) {
        for (const double second : {0.0, 0.001, 0.020, 0.041, 0.100}) {
            const ExchangeSeconds exchange{.first = first, .second = second};
            const int delay = minimumDelay(exchange, 0.020);
            const auto step = [&](int steps) { return exchangeStepSeconds(0.020, exchange, 32, steps); };
            EXPECT_DOUBLE_EQ(step(delay), 0.020) << first << ' ' << second;
            if (delay == 0) continue;
            EXPECT_GT(step(delay - 1), 0.020 + 1e-9) << first << ' ' << second;
        }
    }
    // Ranks that are 5 ms apart are so in both stages: two steps for each.
    EXPECT_EQ(minimumDelay(ExchangeSeconds{.first = 0.020, .second = 0.020}, 0.020), 2);
    EXPECT_EQ(minimumDelay(ExchangeSeconds{.first = 0.020, .second = 0.020}, 0.020, 0.005), 4);
    EXPECT_EQ(minimumDelay(ExchangeSeconds{.first = 1e12, .second = 1}, 1e-9), std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace dasgd
