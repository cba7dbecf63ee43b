#include "experiments/tools/calibrate/calibration.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "core/cost/step_time.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kStep = 0.010;
constexpr double kBackward = 0.006;

struct Cluster {
    std::vector<double> factors = {1.0};  // of the ranks
    double ownScatter = 0;                // standard deviations, ÷ the rank's step
    double commonScatter = 0;
    double contention = 0;
};

// `alone` steps without a collective, then `overlapped` steps with one under way for half of their computing.
std::vector<ComputedStep> stepsOf(const Cluster& cluster, int alone, int overlapped, unsigned seed = 1) {
    std::mt19937_64 bits(seed);
    std::normal_distribution<double> normal;
    std::vector<ComputedStep> steps;
    for (int k = 1; k <= alone + overlapped; ++k) {
        const double common = cluster.commonScatter * normal(bits);
        for (std::size_t rank = 0; rank < cluster.factors.size(); ++rank) {
            const double seconds = kStep * cluster.factors[rank] * (1 + common + cluster.ownScatter * normal(bits));
            ComputedStep step{
                .rank = static_cast<int>(rank), .step = k, .seconds = seconds, .backward = seconds * kBackward / kStep};
            if (k > alone) {
                step.overlapped = seconds / 2 * (1 + cluster.contention);
                step.seconds = seconds / 2 + step.overlapped;
            }
            steps.push_back(step);
        }
    }
    return steps;
}

TEST(FitCompute, FindsTheStepTheRanksAndTheContention) {
    const auto fit = fitCompute(stepsOf({.factors = {0.9, 1.1}, .contention = 0.2}, 13, 10));
    ASSERT_TRUE(fit) << fit.error().message;
    EXPECT_NEAR(fit->stepSeconds, kStep, 1e-12);
    EXPECT_NEAR(fit->backwardShare, 0.6, 1e-12);
    EXPECT_THAT(fit->rankFactors, ElementsAre(DoubleNear(0.9, 1e-9), DoubleNear(1.1, 1e-9)));
    EXPECT_NEAR(fit->contention.value(), 0.2, 1e-9);
    EXPECT_EQ(fit->aloneSteps, 20U) << "of two ranks, without the first three";
    EXPECT_NEAR(fit->jitterDeviation, 0, 1e-9);
}

TEST(FitCompute, KnowsScatterThatMakesSomeoneWaitFromScatterThatSlowsAllDown) {
    constexpr int kSteps = 4003;
    // Five standard errors of a standard deviation of 4,000 steps of 2 and of 8 ranks.
    const auto own = [](std::size_t ranks) {
        return fitCompute(
            stepsOf({.factors = std::vector<double>(ranks, 1.0), .ownScatter = 0.03, .commonScatter = 0.2}, kSteps, 0));
    };
    EXPECT_NEAR(own(2)->jitterDeviation, 0.03, 0.03 * 5 / std::sqrt(2 * 4000.0) * 1.5);
    EXPECT_NEAR(own(8)->jitterDeviation, 0.03, 0.03 * 5 / std::sqrt(2 * 4000.0 * 7) * 1.5);
    const auto fit = own(8);
    ASSERT_EQ(fit->jitter.size(), 33U);
    EXPECT_TRUE(std::ranges::is_sorted(fit->jitter));
    EXPECT_NEAR(fit->jitter[16], 1, 0.002) << "the median";
    // 0.158655 of a normal distribution lies below −σ: a little above the sixth of 33 quantiles, 5/32 = 0.15625.
    EXPECT_NEAR(fit->jitter[5], 1 - 0.03 * 1.0100, 0.001);
}

// The largest contention is reported also where scatter leaves a negative time for the computing beside a collective.
TEST(FitCompute, WhereComputingStandsStillContentionIsTheMostThereIs) {
    for (const auto& [beside, contention] : {std::pair{0.98, 24.0}, {0.999, kMostContention}, {1.1, kMostContention}}) {
        std::vector<ComputedStep> steps = stepsOf({}, 13, 0);
        for (int k = 14; k <= 23; ++k) {
            steps.push_back({.step = k,
                             .seconds = kStep * (beside + 0.5),
                             .overlapped = kStep / 2,
                             .backward = kStep * beside / 2});
        }
        const auto fit = fitCompute(steps);
        ASSERT_TRUE(fit) << fit.error().message;
        ASSERT_TRUE(fit->contention);
        EXPECT_NEAR(*fit->contention, contention, 1e-6) << beside;
    }
}

// Of 400 calibrations of one cluster 95 % of the intervals have its constants.
TEST(FitCompute, ItsIntervalsHaveTheConstantsAsOftenAsTheySay) {
    int steps = 0, contentions = 0;
    constexpr int kCalibrations = 400;
    for (unsigned seed = 1; seed <= kCalibrations; ++seed) {
        const auto fit =
            fitCompute(stepsOf({.factors = {1, 1}, .commonScatter = 0.1, .contention = 0.3}, 83, 80, seed));
        ASSERT_TRUE(fit && fit->stepSpread && fit->contentionInterval);
        steps += std::abs(fit->stepSeconds - kStep) <= *fit->stepSpread * fit->stepSeconds ? 1 : 0;
        const auto [least, most] = *fit->contentionInterval;
        contentions += least <= 0.3 && 0.3 <= most ? 1 : 0;
        EXPECT_LT(most - least, 0.4) << "it tells something";
    }
    // Four standard errors of a share of 0.95.
    EXPECT_NEAR(static_cast<double>(steps) / kCalibrations, 0.95, 4 * std::sqrt(0.95 * 0.05 / kCalibrations));
    EXPECT_NEAR(static_cast<double>(contentions) / kCalibrations, 0.95, 4 * std::sqrt(0.95 * 0.05 / kCalibrations));
}

// A machine that is slow for a while: its steps scatter as little as ever, their means do not.
TEST(FitCompute, StepsThatAreSlowTogetherMakeTheIntervalWider) {
    std::vector<ComputedStep> steady = stepsOf({.commonScatter = 0.02}, 163, 0), slow = steady;
    for (ComputedStep& step : slow) {
        if ((step.step / 40) % 2 == 1) step.seconds *= 1.2;
    }
    EXPECT_GT(*fitCompute(slow)->stepSpread, 5 * *fitCompute(steady)->stepSpread);
    EXPECT_FALSE(fitCompute(stepsOf({}, 13, 10))->stepSpread) << "too few steps of a stretch";
}

TEST(FitCompute, SaysNothingOfContentionThatItDidNotSee) {
    const auto always = fitCompute(stepsOf({.contention = 0.2}, 0, 20));
    ASSERT_TRUE(always);
    EXPECT_FALSE(always->contention);
    EXPECT_EQ(always->aloneSteps, 0U);
    EXPECT_NEAR(always->stepSeconds, kStep * 1.1, 1e-12) << "what its steps took, contention and all";
    EXPECT_FALSE(fitCompute(stepsOf({}, 20, 0))->contention) << "no step beside a collective";
    std::vector<ComputedStep> oneRank = stepsOf({.factors = {1, 1}, .contention = 0.2}, 13, 10);
    std::erase_if(oneRank, [](const ComputedStep& step) { return step.rank == 1 && step.step <= 13; });
    const auto half = fitCompute(oneRank);
    ASSERT_TRUE(half);
    EXPECT_FALSE(half->contention) << "of rank 1 it is not known how long a step takes alone";
    EXPECT_EQ(half->aloneSteps, 0U) << "T_c is of all steps";
    EXPECT_THAT(fitCompute(stepsOf({}, 5, 0)).error().message, HasSubstr("no rank made 3 whole steps"));
}

// Spans as a run records them: two ranks, an all-reduce of 1 MB that takes 20 ms from the last arrival on.
TEST(Calibration, TakesTheLinkOfAnOrdinaryRunFromItsCollectives) {
    constexpr Ns kMs = 1'000'000;
    test::OneRun run(2);
    for (int rank = 0; rank < 2; ++rank) {
        for (std::int64_t k = 1; k <= 8; ++k) {
            const Ns at = k * 40 * kMs + rank * 2 * kMs;
            run.rank(rank).span({.kind = SpanKind::Forward, .step = k, .start = at, .end = at + 4 * kMs});
            run.rank(rank).span({.kind = SpanKind::Backward, .step = k, .start = at + 4 * kMs, .end = at + 10 * kMs});
            run.rank(rank).span(
                {.kind = SpanKind::Wait, .step = k, .start = at + 10 * kMs, .end = at + 40 * kMs - rank});
            run.rank(rank).span({.lane = Lane::Comm,
                                 .kind = SpanKind::Reduce,
                                 .step = k,
                                 .start = at + 10 * kMs,
                                 .end = k * 40 * kMs + 32 * kMs,
                                 .bytes = 1'000'000,
                                 .collective = static_cast<std::uint64_t>(k)});
        }
    }
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    const auto calibration = calibrationOf(reader, run.runId);
    ASSERT_TRUE(calibration) << calibration.error().message;
    ASSERT_TRUE(calibration->link);
    EXPECT_NEAR(calibration->link->cost.beta, 0.020 / 1e6, 1e-12) << "two ranks send each byte once";
    EXPECT_EQ(calibration->bytes, 1e6);
    EXPECT_NEAR(calibration->compute.stepSeconds, 0.010, 1e-8);
    EXPECT_EQ(calibration->workers, 2);
    EXPECT_THAT(calibrationOf(reader, "another").error().message, HasSubstr("another"));

    // A probe times the network by itself, so one without such times was cut short.
    SQLite::Database(run.store.paths().database().string(), SQLite::OPEN_READWRITE)
        .exec("UPDATE run SET algorithm = 'probe'");
    EXPECT_THAT(calibrationOf(reader, run.runId).error().message, HasSubstr("ended before it timed an all-reduce"));
}

// 250 kB among two over 100 Mbps, 1 ms: 22 ms.
Calibration ofFit(double longest, double worst, double seconds, std::optional<double> contention) {
    Calibration calibration{.workers = 2};
    calibration.link = LinkFit{.cost = {.alpha = 0.001, .beta = 8e-8}, .longest = longest, .worst = worst};
    calibration.timed = {{.kind = TimedCollective::Kind::AllReduce, .bytes = 250'000, .seconds = seconds},
                         {.kind = TimedCollective::Kind::AllGather, .bytes = 1000, .seconds = 0.002}};
    calibration.compute.contention = contention;
    return calibration;
}

TEST(Calibration, AFitThatIsFarOffIsADoubtWithWhatItMeansForForecasts) {
    EXPECT_EQ(doubtOf(ofFit(0.015, 0.4, 0.023, 0.18)), "");
    const std::string far = doubtOf(ofFit(0.652, 0.7, 0.063, 0.18));
    EXPECT_THAT(far, HasSubstr("65.2 % off the longest and 70.0 % off the worst"));
    EXPECT_THAT(far, HasSubstr("long transfers take longer than forecast"));
    EXPECT_THAT(doubtOf(ofFit(0.3, 0.4, 0.015, 0.18)), HasSubstr("long transfers take less time than forecast"));
    EXPECT_THAT(doubtOf(ofFit(0.1, 0.6, 0.023, 0.18)), HasSubstr("may be off by as much. Calibrate again"));
}

TEST(Calibration, AContentionThatWasNotSeenOrIsTheMostIsADoubt) {
    EXPECT_THAT(doubtOf(ofFit(0.015, 0.4, 0.023, kMostContention)), HasSubstr("κ is this or more"));
    EXPECT_THAT(doubtOf(ofFit(0.015, 0.4, 0.023, std::nullopt)), HasSubstr("was not seen"));
    Calibration alone = ofFit(0.9, 0.9, 0.063, std::nullopt);
    alone.link.reset();
    EXPECT_EQ(doubtOf(alone), "") << "forecasts take no link from it";
}

}  // namespace
}  // namespace dasgd::experiments
