// Grouping of runs into lines of scaling, and the points computed from them.
#include "core/analysis/runs/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Settings settings(int workers, int batch, const std::string& stepTime = "measured", const std::string& seed = "1") {
    return {{"name", "x"},
            {"algorithm.name", "dasgd"},
            {"train.batch_size", std::to_string(batch)},
            {"train.seed", seed},
            {"cluster.backend", "virtual"},
            {"cluster.workers", std::to_string(workers)},
            {"compute.step_time", stepTime}};
}

TEST(Scaling, RunsThatDifferInWorkersAndSeedAreOneLine) {
    const LinePlace one = placeOf(settings(1, 32)), eight = placeOf(settings(8, 32, "measured", "2"));
    EXPECT_EQ(one.weak, eight.weak);
    EXPECT_NE(one.strong, eight.strong);
    EXPECT_NE(one.seeds, eight.seeds);
    EXPECT_EQ(eight.batch, 32);
    Settings renamed = settings(8, 32);
    renamed["name"] = "y";
    EXPECT_EQ(placeOf(renamed).weak, one.weak);
    Settings other = settings(8, 32);
    other["cluster.backend"] = "gloo";
    EXPECT_NE(placeOf(other).weak, one.weak);
}

TEST(Scaling, StrongLinesShareTheBatchOfAllWorkers) {
    EXPECT_EQ(placeOf(settings(1, 32)).strong, placeOf(settings(8, 4)).strong);
    EXPECT_NE(placeOf(settings(1, 32)).strong, placeOf(settings(8, 8)).strong);
    EXPECT_NE(placeOf(settings(1, 32)).weak, placeOf(settings(8, 4)).weak);
}

TEST(Scaling, AccumulatedBatchesCountForAStep) {
    Settings accumulated = settings(8, 4);
    accumulated["train.accumulate"] = "3";
    EXPECT_EQ(placeOf(accumulated).batch, 12);
    Settings shared = settings(4, 8);
    shared["train.accumulate"] = "3";
    EXPECT_EQ(placeOf(accumulated).strong, placeOf(shared).strong);
}

TEST(Scaling, AGivenStepTimeGoesWithTheBatchOfAStrongLine) {
    EXPECT_EQ(placeOf(settings(1, 32, "5ms")).strong, placeOf(settings(8, 4, "0.625ms")).strong);
    EXPECT_EQ(placeOf(settings(1, 96, "5ms")).strong, placeOf(settings(3, 32, "1.6666666666666667ms")).strong);
    EXPECT_NE(placeOf(settings(1, 32, "5ms")).strong, placeOf(settings(8, 4, "5ms")).strong);
    EXPECT_EQ(placeOf(settings(1, 32, "5ms")).weak, placeOf(settings(8, 32, "5ms")).weak);
}

TEST(Scaling, ChanceOfAnotherSeedIsARepetition) {
    for (const char* seed : {"train.seed", "compute.seed", "faults.seed", "network.background.seed"}) {
        Settings a = settings(4, 32), b = settings(4, 32);
        a[seed] = "1";
        b[seed] = "2";
        EXPECT_EQ(placeOf(a).weak, placeOf(b).weak) << seed;
        EXPECT_NE(placeOf(a).seeds, placeOf(b).seeds) << seed;
    }
}

TEST(Scaling, KnowsTheTargetOfARun) {
    Settings run = settings(1, 32);
    EXPECT_FALSE(targetOf(run));
    run["train.target_accuracy"] = "0.0";
    run["train.target_loss"] = "0.25";
    EXPECT_EQ(targetOf(run), (Target{.metric = Target::Metric::Loss, .value = 0.25}));
    run["train.target_accuracy"] = "0.9";
    EXPECT_EQ(targetOf(run), (Target{.metric = Target::Metric::Accuracy, .value = 0.9}));
}

TEST(Scaling, ReadsTargets) {
    EXPECT_EQ(*parseTarget("accuracy=0.97"), (Target{Target::Metric::Accuracy, 0.97}));
    EXPECT_EQ(*parseTarget("loss=1e-3"), (Target{Target::Metric::Loss, 1e-3}));
    EXPECT_EQ(parseTarget("accuracy=0.97")->inWords(), "accuracy ≥ 0.97");
    EXPECT_EQ(parseTarget("loss=0.1")->inWords(), "loss ≤ 0.1");
}

TEST(Scaling, RefusesTargetsThatCannotBe) {
    const auto refusal = [](const std::string& text) {
        const auto target = parseTarget(text);
        return target ? std::string("taken") : target.error().message;
    };
    EXPECT_THAT(refusal("accuracy=97"), HasSubstr("as 0.97 for 97 %"));
    EXPECT_THAT(refusal("accuracy=0"), HasSubstr("above 0"));
    EXPECT_THAT(refusal("speed=3"), HasSubstr("write accuracy=0.97 or loss=0.1"));
    EXPECT_THAT(refusal("loss"), HasSubstr("write accuracy=0.97 or loss=0.1"));
    for (const char* text : {"loss=", "loss=low", "loss=0.1x", "loss=nan", "loss=inf"}) {
        EXPECT_THAT(refusal(text), HasSubstr("write a number")) << text;
    }
}

TEST(Scaling, TheFirstEvaluationThatReachesTheTargetCounts) {
    // Steps become dearer: those after the hundredth take three times as long.
    const RunTimes times{.stepMs = 20,
                         .accuracies = {{0, 0.1, 0}, {100, 0.9, 2}, {150, 0.8, 5}, {200, 0.95, 8}},
                         .losses = {{0, 2, 0}, {100, 0.3, 2}, {150, 0.2}}};
    EXPECT_EQ(secondsTo({Target::Metric::Accuracy, 0.9}, times), 2);
    EXPECT_EQ(secondsTo({Target::Metric::Accuracy, 0.91}, times), 8) << "as it passed, not 200 steps of the mean";
    EXPECT_EQ(secondsTo({Target::Metric::Accuracy, 0.96}, times), std::nullopt);
    EXPECT_EQ(secondsTo({Target::Metric::Loss, 0.3}, times), 2);
    EXPECT_EQ(secondsTo({Target::Metric::Loss, 0.1}, times), std::nullopt);
    EXPECT_EQ(secondsTo({Target::Metric::Loss, 3}, times), 0) << "reached before the first step";
    EXPECT_EQ(secondsTo({Target::Metric::Loss, 0.2}, times), std::nullopt) << "no time is known, and none is estimated";
}

TEST(Scaling, FindsTheFirstThatReachesATargetInAnyOrder) {
    struct Evaluation {
        std::string of;
        std::int64_t step;
        double value;
    };
    const std::vector<Evaluation> accuracies{
        {"late", 300, 0.9}, {"first", 100, 0.8}, {"low", 50, 0.7}, {"best", 200, 1}};
    const Evaluation* found = firstReaching({Target::Metric::Accuracy, 0.8}, accuracies);
    ASSERT_EQ(found, &accuracies[1]) << "the first by step, of those that reach it";
    EXPECT_EQ(found->of, "first");
    EXPECT_EQ(firstReaching({Target::Metric::Loss, 0.85}, accuracies), &accuracies[2]) << "losses come from above";
    EXPECT_EQ(firstReaching({Target::Metric::Accuracy, 1.1}, accuracies), nullptr);
    EXPECT_EQ(firstReaching({Target::Metric::Loss, 1}, std::vector<Evaluation>()), nullptr);
}

ScalingRun run(int workers, double stepMs, const std::string& seeds = "1", const std::string& startedAt = "a") {
    return {.runId = "p" + std::to_string(workers) + "s" + seeds + startedAt,
            .startedAt = startedAt,
            .seeds = seeds,
            .workers = workers,
            .batch = 32,
            .stepMs = stepMs};
}

TEST(ScalingPoints, OneNumberOfWorkersHasNoEfficiency) {
    const auto points = scalingPoints({run(4, 10, "1"), run(4, 12, "2")});
    ASSERT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0].samplesPerS.n, 2U);
    EXPECT_EQ(points[0].efficiency.n, 0U) << "100 % of itself says nothing";
    EXPECT_EQ(points[0].speedUp.n, 0U);
}

TEST(Scaling, EfficiencyIsAgainstTheSmallestNumberOfWorkers) {
    const auto points = scalingPoints({run(8, 40), run(2, 10), run(4, 10)});
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0].workers, 2);
    EXPECT_DOUBLE_EQ(points[0].samplesPerS.mean, 2 * 32 / 0.010);
    EXPECT_DOUBLE_EQ(points[0].speedUp.mean, 1);
    EXPECT_DOUBLE_EQ(points[0].efficiency.mean, 1);
    EXPECT_DOUBLE_EQ(points[1].speedUp.mean, 2);
    EXPECT_DOUBLE_EQ(points[1].efficiency.mean, 1);
    EXPECT_DOUBLE_EQ(points[2].speedUp.mean, 1);
    EXPECT_DOUBLE_EQ(points[2].efficiency.mean, 0.25);
}

TEST(Scaling, StrongScalingDividesTheBatch) {
    ScalingRun one = run(1, 64), four = run(4, 20);
    four.batch = 8;
    const auto points = scalingPoints({one, four});
    EXPECT_DOUBLE_EQ(points[1].samplesPerS.mean, 32 / 0.020);
    EXPECT_DOUBLE_EQ(points[1].speedUp.mean, 3.2);
    EXPECT_DOUBLE_EQ(points[1].efficiency.mean, 0.8);
}

TEST(Scaling, SeedsBecomeMeanAndSpread) {
    ScalingRun reached = run(2, 20, "1");
    reached.secondsToTarget = 7;
    std::vector<ScalingRun> runs{run(1, 10, "1"), run(1, 10, "2"), reached, run(2, 10, "2")};
    EXPECT_EQ(scalingPoints(runs)[0].stepMs.std, 0) << "measured times that agree are repetitions";
    for (ScalingRun& each : runs) each.timeSimulated = true;
    const auto points = scalingPoints(runs);
    EXPECT_FALSE(points[0].stepMs.std);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].stepMs.n, 2U);
    EXPECT_DOUBLE_EQ(points[1].stepMs.mean, 15);
    EXPECT_DOUBLE_EQ(points[1].samplesPerS.mean, (3200 + 6400) / 2.0);
    EXPECT_DOUBLE_EQ(points[1].speedUp.mean, 1.5);
    EXPECT_FALSE(points[1].speedUp.std) << "the base is one draw, whose scatter is not known";
    EXPECT_FALSE(points[1].efficiency.std);
    EXPECT_EQ(points[1].secondsToTarget.n, 1U);
    EXPECT_FALSE(points[1].allReached());
    EXPECT_THAT(points[1].runIds, ElementsAre("p2s1a", "p2s2a"));
}

// 90 and 110, and 180 and 220 samples/s: each scatters by √0.02 of its mean, their ratio by √0.04 of its own, which is
// 2. Its interval is 2 · √(0.02/2 + 0.02/2) · t with Welch's two degrees of freedom, 4.3027.
TEST(Scaling, TheBaseScattersAsThePointsDo) {
    const auto timed = [](int workers, double samplesPerS, const std::string& seeds) {
        ScalingRun made = run(workers, 10, seeds);
        made.samplesPerS = samplesPerS;
        return made;
    };
    const auto points = scalingPoints({timed(1, 90, "1"), timed(1, 110, "2"), timed(4, 180, "1"), timed(4, 220, "2")});
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].speedUp.n, 2U);
    EXPECT_EQ(points[0].speedUp.mean, 1);
    EXPECT_FALSE(points[0].speedUp.std) << "it is 1 whatever was measured";
    EXPECT_FALSE(points[0].efficiency.confidence);
    EXPECT_DOUBLE_EQ(points[1].speedUp.mean, 2);
    EXPECT_NEAR(*points[1].speedUp.std, 0.4, 1e-12);
    EXPECT_NEAR(*points[1].speedUp.confidence, 1.21698, 1e-4);
    EXPECT_NEAR(*points[1].efficiency.std, 0.1, 1e-12);
    const auto single = scalingPoints({timed(1, 100, "1"), timed(4, 180, "1"), timed(4, 220, "2")});
    EXPECT_EQ(single[1].speedUp.n, 1U);
    EXPECT_FALSE(single[1].speedUp.confidence) << "how a base of one seed scatters is not known";
}

TEST(Scaling, SimulatedTimesThatAreEqualWithAllSeedsHaveNoInterval) {
    std::vector<ScalingRun> runs{run(1, 10, "1"), run(1, 10, "2"), run(4, 20, "1"), run(4, 20, "2")};
    for (ScalingRun& each : runs) each.timeSimulated = true;
    const auto points = scalingPoints(runs);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].stepMs.n, 2U);
    EXPECT_FALSE(points[1].stepMs.std || points[1].samplesPerS.confidence);
    EXPECT_EQ(points[1].speedUp.n, 2U);
    EXPECT_FALSE(points[1].speedUp.confidence || points[1].efficiency.std);
}

TEST(Scaling, TheNewestOfTheSameSeedCounts) {
    const auto points = scalingPoints({run(1, 10, "1", "2026-01-01"), run(1, 30, "1", "2026-01-02")});
    ASSERT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0].stepMs.n, 1U);
    EXPECT_DOUBLE_EQ(points[0].stepMs.mean, 30);
}

TEST(Scaling, WhatWasNotTimedHasNoEfficiency) {
    ScalingRun untimed = run(1, 0);
    untimed.stepMs.reset();
    const auto points = scalingPoints({untimed, run(2, 10), run(4, 10)});
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0].speedUp.n, 0U);
    EXPECT_DOUBLE_EQ(points[1].efficiency.mean, 1) << "the smallest that was timed is the base";
    EXPECT_DOUBLE_EQ(points[2].efficiency.mean, 1);
    EXPECT_TRUE(scalingPoints({}).empty());
}

// A worker alone that averages with nobody is slow, and eight of it look as if nothing were lost.
TEST(ScalingPoints, LinesThatBeginApartAreNamed) {
    const auto plain = scalingPoints({run(1, 60), run(8, 90)}), averages = scalingPoints({run(1, 66), run(8, 66)});
    const auto single = scalingPoints({run(1, 200)});
    EXPECT_EQ(averages.back().efficiency.mean, 1);
    const auto apart = unequalStarts({&plain, &single, &averages});
    ASSERT_TRUE(apart);
    EXPECT_EQ(apart->slowest, 2U);
    EXPECT_EQ(apart->fastest, 0U);
    EXPECT_EQ(apart->workers, 1);
    EXPECT_NEAR(apart->share, 60.0 / 66, 1e-12);
    const auto near = scalingPoints({run(1, 60.5), run(8, 80)}), others = scalingPoints({run(2, 90), run(8, 90)});
    EXPECT_FALSE(unequalStarts({&plain, &near})) << "within 2 %";
    EXPECT_FALSE(unequalStarts({&plain, &others})) << "of other numbers of workers";
    EXPECT_FALSE(unequalStarts({}));
}

// Two seeds a line, a seventh apart, are no proof of a difference, and none that there is none.
TEST(ScalingPoints, LinesThatBeginNoFurtherApartThanTheirSeedsScatterAreNamedToo) {
    const auto line = [](std::initializer_list<double> ofOneWorker) {
        std::vector<ScalingRun> runs{run(8, 40)};
        for (const double stepMs : ofOneWorker) {
            runs.push_back(run(1, stepMs));
            runs.back().seeds = "train.seed=" + std::to_string(runs.size());
            runs.back().runId = runs.back().seeds;
        }
        return scalingPoints(std::move(runs));
    };
    const auto quiet = line({60, 60.1, 59.9}), slower = line({63, 63.1, 62.9});
    const auto lower = line({56, 64}), higher = line({66, 74}), single = line({63});
    const auto scattered = unequalStarts({&lower, &higher});
    ASSERT_TRUE(scattered);
    EXPECT_TRUE(scattered->withinScatter);
    EXPECT_LT(scattered->share, 0.87);
    const auto sure = unequalStarts({&quiet, &slower});
    ASSERT_TRUE(sure);
    EXPECT_FALSE(sure->withinScatter);
    const auto all = unequalStarts({&lower, &higher, &quiet, &slower});
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->withinScatter) << "a difference that is sure is not hidden by one that is not";
    EXPECT_EQ(all->share, sure->share);
    const auto alone = unequalStarts({&quiet, &single});
    ASSERT_TRUE(alone);
    EXPECT_FALSE(alone->withinScatter) << "of one seed no scatter is known";
}

}  // namespace
}  // namespace dasgd
