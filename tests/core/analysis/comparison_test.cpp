#include "core/analysis/comparison.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

ComparedRun run(const std::string& algorithm, int seed, double stepMs, bool finished = true) {
    ComparedRun made{.runId = algorithm + std::to_string(seed), .algorithm = algorithm, .finished = finished};
    made.settings = {{"algorithm.name", algorithm}, {"train.seed", std::to_string(seed)}};
    made.stepMs = stepMs;
    made.finalLoss = 0.1;
    made.samples = 1000;
    return made;
}

TEST(Comparison, WhatDidNotFinishIsInNoMean) {
    const auto compared = compareRuns({run("dasgd", 1, 10), run("dasgd", 2, 12), run("dasgd", 3, 500, false)}, "");
    ASSERT_TRUE(compared);
    ASSERT_EQ(compared->groups.size(), 1U);
    EXPECT_EQ(compared->groups[0].stepMs.n, 2U);
    EXPECT_EQ(compared->groups[0].stepMs.mean, 11);
    EXPECT_EQ(compared->groups[0].unfinished, 1U);
    EXPECT_EQ(compared->groups[0].finished(), 2U);
}

TEST(Comparison, RatiosAndProbabilitiesReferToTheBaseline) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("sync_sgd", 2, 42), run("dasgd", 1, 10),
                                  run("dasgd", 2, 10.5)};
    runs[0].secondsToTarget = 80;
    runs[2].secondsToTarget = 20;
    const auto compared = compareRuns(runs, "");
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->baseline, "sync_sgd");
    EXPECT_EQ(compared->groups[0].stepRatio, 1);
    EXPECT_FALSE(compared->groups[0].stepP) << "nothing differs from itself";
    EXPECT_EQ(compared->groups[1].stepRatio, 10.25 / 41);
    EXPECT_LT(compared->groups[1].stepP.value(), 0.05);
    EXPECT_EQ(compared->groups[1].lossP, 1) << "the same loss in all runs";
    EXPECT_EQ(compared->groups[1].targetRatio, 0.25);
    EXPECT_FALSE(compared->groups[1].targetP) << "one of each is no sample";
    const auto other = compareRuns(runs, "dasgd");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->groups[0].stepRatio, 4);
    EXPECT_FALSE(compareRuns(runs, "easgd"));
}

TEST(Comparison, RunsOfDifferentLengthAreComparedWhereAllOfThemAre) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("dasgd", 1, 10)};
    runs[1].samples = 2000;
    runs[0].losses = EvaluationCurve({{0, 2.0}, {1000, 1.0}});
    runs[1].losses = EvaluationCurve({{0, 2.0}, {2000, 0.4}});
    runs[1].accuracies = EvaluationCurve({{0, 0.1}, {2000, 0.9}});
    const auto compared = compareRuns(runs, "");
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->equalSamples, 1000);
    EXPECT_EQ(compared->groups[0].equalLoss.mean, 1.0);
    EXPECT_EQ(compared->groups[1].equalLoss.mean, 1.2);
    EXPECT_EQ(compared->groups[1].equalBestAccuracy.mean, 0.5);
    runs[1].samples = 1000;
    EXPECT_FALSE(compareRuns(runs, "")->equalSamples) << "all were trained on as many samples";
}

}  // namespace
}  // namespace dasgd
