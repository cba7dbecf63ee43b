#include "core/cost/step_time.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace dasgd {
namespace {

TEST(StepTime, BlockingAndLocalWaitForTheSlowestAndTheWire) {
    EXPECT_DOUBLE_EQ(blockingSgdStepSeconds(0.070, 0.143), 0.213);
    EXPECT_DOUBLE_EQ(localSgdStepSeconds(0.260, 0.140, 4), 0.100);
    EXPECT_DOUBLE_EQ(localSgdStepSeconds(0.070, 0.143, 1), blockingSgdStepSeconds(0.070, 0.143));
}

TEST(StepTime, BucketsOverlapTheBackwardPass) {
    const std::vector<double> ready{1, 2, 3};
    const auto step = [&](const std::vector<double>& times) { return bucketedSgdStepSeconds(ready, times, 2, 3); };
    EXPECT_DOUBLE_EQ(step({0.5, 0.5, 0.25}), 2 + 3.25) << "only the last bucket shows";
    EXPECT_DOUBLE_EQ(step({3, 1, 1}), 2 + 6) << "the wire is busy from the first bucket on: 1 + 3 + 1 + 1";
    EXPECT_DOUBLE_EQ(step({0.5, 2, 0.5}), 2 + 4.5) << "the second is still there when the third is ready";
    EXPECT_DOUBLE_EQ(bucketedSgdStepSeconds({}, {}, 2, 3), 5) << "nothing to reduce";
    EXPECT_DOUBLE_EQ(bucketedSgdStepSeconds(std::array{3.0}, std::array{4.0}, 2, 3), 2 + 3 + 4) << "one: no overlap";
}

TEST(StepTime, DasgdIsFlatUntilTheDelayIsUsedUpThenRisesByOneOverThePeriod) {
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.143, 4, 3), 0.060);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.180, 4, 3), 0.060);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.220, 4, 3), 0.070);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.143, 4, 2), 0.060 + 0.023 / 4);
    EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, 0.143, 4, 0), localSgdStepSeconds(4 * 0.060, 0.143, 4));
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
    EXPECT_TRUE(overlapPays(0.25, 0.1, 0.026));
    EXPECT_FALSE(overlapPays(0.25, 0.1, 0.024));
}

TEST(StepTime, AWorkerWaitsForTheLastToLaunch) {
    const std::array launches{1.00, 1.05, 0.98};
    EXPECT_NEAR(dasgdWaitSeconds(launches, 0.14, 1.18), 0.01, 1e-12);
    EXPECT_EQ(dasgdWaitSeconds(launches, 0.14, 1.20), 0) << "delay beyond T_m has absorbed the straggler";
}

TEST(StepTime, TheSmallestDelayThatHides) {
    EXPECT_EQ(minimumDelay(0.14336, 0.060), 3) << "ResNet-50 on 8 workers over 10 Gb/s";
    EXPECT_EQ(minimumDelay(0.120, 0.060), 2);
    EXPECT_EQ(minimumDelay(3 * 0.1, 0.1), 3) << "3 · 0.1 is above 0.3 in doubles";
    EXPECT_EQ(minimumDelay(0.1201, 0.060), 3);
    EXPECT_EQ(minimumDelay(0, 0.060), 0);
    EXPECT_EQ(minimumDelay(0.14336, 0.060, 0.040), 4);
    for (const double communication : {0.01, 0.06, 0.1, 0.14336, 0.59}) {
        const int delay = minimumDelay(communication, 0.060);
        EXPECT_DOUBLE_EQ(dasgdStepSeconds(0.060, communication, 10, delay), 0.060);
        EXPECT_GT(dasgdStepSeconds(0.060, communication, 10, delay - 1), 0.060);
    }
}

TEST(StepTime, OverlappingStreamingAndAsynchronous) {
    EXPECT_DOUBLE_EQ(overlappingStepSeconds(0.060, 0.200, 4), 0.060);
    EXPECT_DOUBLE_EQ(overlappingStepSeconds(0.060, 0.400, 4), 0.100);
    // 4 fragments of 0.1 s each in 100 steps of 0.06 s; with one step under way 0.04 s of each shows.
    EXPECT_DOUBLE_EQ(streamingStepSeconds(0.060, 0.400, 4, 100, 1), 0.060 + 0.04 * 4 / 100);
    EXPECT_DOUBLE_EQ(streamingStepSeconds(0.060, 0.400, 4, 100, 2), 0.060);
    EXPECT_DOUBLE_EQ(streamingStepSeconds(0.060, 0.400, 1, 100, 0), localSgdStepSeconds(6, 0.400, 100));
    EXPECT_DOUBLE_EQ(asynchronousStepSeconds(0.060, 0.050), 0.060);
    EXPECT_DOUBLE_EQ(asynchronousStepSeconds(0.060, 0.080), 0.080);
}

TEST(StepTime, ShiftedExponentialOrderStatistics) {
    EXPECT_EQ(harmonicNumber(0), 0);
    EXPECT_DOUBLE_EQ(harmonicNumber(4), 25.0 / 12);
    EXPECT_DOUBLE_EQ(expectedMaximumShiftedExponential(1, 0.12, 4), 1.25);
    // The first of 4 finishes four times as fast as one; the second after another 1/3.
    EXPECT_DOUBLE_EQ(expectedFinishShiftedExponential(1, 0.12, 1, 4), 1.03);
    EXPECT_DOUBLE_EQ(expectedFinishShiftedExponential(1, 0.12, 2, 4), 1.07);
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

TEST(StepTime, TheShorthandBoundsTheNormalMaximum) {
    EXPECT_DOUBLE_EQ(boundOfMaximumNormal(1, 0.1, 2), 1 + 0.1 * std::sqrt(2 * std::numbers::ln2));
    for (const int workers : {1, 2, 8, 128, 1024}) {
        EXPECT_GE(boundOfMaximumNormal(1, 0.1, workers), expectedMaximumNormal(1, 0.1, workers) - 1e-12);
    }
}

TEST(StepTime, ABarrierEveryPeriodCostsLessJitter) {
    const double each = expectedMaximumNormal(1, 0.1, 16) - 1;
    EXPECT_NEAR(expectedSlowestRound(1, 0.1, 9, 16) / 9 - 1, each / 3, 1e-12);
    EXPECT_DOUBLE_EQ(expectedSlowestRound(1, 0.1, 1, 16), expectedMaximumNormal(1, 0.1, 16));
}

}  // namespace
}  // namespace dasgd
