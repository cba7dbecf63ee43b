#include "core/analysis/runs/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// A machine is no setting: repetitions of one configuration may be of several.
TEST(Comparison, SaysInWhatTheSetUpsOfFinishedRunsDiffer) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("dasgd", 1, 10), run("dasgd", 2, 10),
                                  run("dasgd", 3, 10, false)};
    for (ComparedRun& each : runs) each.setup = {{"machine", "a", {}}};
    EXPECT_TRUE(compareRuns(runs, "")->setupDifferences().empty());
    runs[3].setup = {{"machine", "c", {}}};
    EXPECT_TRUE(compareRuns(runs, "")->setupDifferences().empty()) << "it is in no mean";
    runs[2].setup = {{"machine", "b", {}}};
    const auto compared = compareRuns(runs, "");
    EXPECT_EQ(setupInWords(compared->setupDifferences()), "machine a / b");
    EXPECT_EQ(compared->groups[0].setups.size(), 1U);
    EXPECT_EQ(compared->groups[1].setups.size(), 2U);
}

TEST(Comparison, CountsFinishedRunsThatWereDisturbed) {
    std::vector<ComparedRun> runs{run("dasgd", 1, 10), run("dasgd", 2, 10), run("dasgd", 3, 10, false)};
    runs[1].disturbed = runs[2].disturbed = true;
    const auto compared = compareRuns(runs, "");
    EXPECT_EQ(compared->groups[0].disturbed, 1U) << "what is in no mean disturbs none";
    EXPECT_EQ(disturbedInWords({&compared->groups[0]}),
              "other programs took cores beside 1 of 2 runs of dasgd: these times are not of the machine alone");
    EXPECT_EQ(disturbedInWords({}), "");
}

TEST(Comparison, SaysWhichFinishedRunsWereReadInPart) {
    std::vector<ComparedRun> runs{run("a", 1, 10), run("a", 2, 10), run("b", 1, 10, false)};
    runs[0].partlyRead = runs[2].partlyRead = true;
    const auto compared = compareRuns(runs, "");
    EXPECT_EQ(
        partlyReadInWords({&compared->groups[0], &compared->groups[1]}),
        "1 of 2 runs of a were read in part, as their files are damaged: their numbers are of what could be read");
    EXPECT_EQ(partlyReadInWords({&compared->groups[1]}), "") << "it is in no mean";
}

TEST(Comparison, OfManyDisturbedConfigurationsTheFirstAreNamedAndTheRunsOfAllCounted) {
    std::vector<ComparedRun> runs;
    for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
        for (const int seed : {1, 2}) {
            runs.push_back(run(name, seed, 10));
            runs.back().disturbed = name != "b" && (seed == 1 || name == "a");
        }
    }
    const auto compared = compareRuns(runs, "");
    std::vector<const ComparedGroup*> groups;
    for (const ComparedGroup& group : compared->groups) groups.push_back(&group);
    EXPECT_EQ(disturbedInWords(groups),
              "other programs took cores beside 6 of 12 runs (2 of 2 of a, 1 of 2 of c, 1 of 2 of d and 2 more): these "
              "times are not of the machine alone");
    EXPECT_EQ(disturbedInWords({groups[1], groups[2]}),
              "other programs took cores beside 1 of 2 runs of c: these times are not of the machine alone");
}

TEST(Comparison, RatiosAndProbabilitiesReferToTheBaseline) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("sync_sgd", 2, 42), run("dasgd", 1, 10),
                                  run("dasgd", 2, 10.5)};
    for (const std::size_t i : {0, 1}) runs[i].secondsToTarget = 80;
    for (const std::size_t i : {2, 3}) runs[i].secondsToTarget = 20;
    runs[0].finalLoss = 0.2;
    runs[1].finalLoss = 0.4;
    const auto compared = compareRuns(runs, "");
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->baseline, "sync_sgd");
    EXPECT_EQ(compared->groups[0].stepRatio.mean, 1);
    EXPECT_FALSE(compared->groups[0].stepRatio.confidence) << "it is 1 whatever was measured";
    EXPECT_FALSE(compared->groups[0].stepP) << "nothing differs from itself";
    EXPECT_EQ(compared->groups[1].stepRatio.mean, 10.25 / 41);
    EXPECT_NEAR(compared->groups[1].stepRatio.confidence.value(), std::sqrt(2) / 41 * 4.302653 / 4, 1e-6);
    const Sample& faster = compared->groups[1].speedUp;
    EXPECT_EQ(faster.n, 2U);
    EXPECT_DOUBLE_EQ(faster.mean, 4);
    // Means 41 and 10.25, standard errors 1 and 0.25: relative ones of 1/41 each, and two degrees of freedom.
    ASSERT_TRUE(faster.confidence);
    EXPECT_NEAR(*faster.confidence, 4 * std::sqrt(2) / 41 * 4.302653, 1e-4);
    EXPECT_NEAR(faster.std.value(), 4 * std::hypot(std::sqrt(2) / 41, std::sqrt(0.125) / 10.25), 1e-12);
    EXPECT_EQ(compared->groups[0].speedUp.mean, 1);
    EXPECT_FALSE(compared->groups[0].speedUp.confidence) << "it is 1 whatever was measured";
    EXPECT_LT(compared->groups[1].stepP.value(), 0.05);
    EXPECT_TRUE(compared->groups[1].lossP);
    EXPECT_EQ(compared->groups[1].targetRatio.mean, 0.25);
    EXPECT_FALSE(compared->groups[1].targetP) << "neither has any spread";
    const auto other = compareRuns(runs, "dasgd");
    ASSERT_TRUE(other);
    EXPECT_EQ(other->groups[0].stepRatio.mean, 4);
    EXPECT_FALSE(compareRuns(runs, "easgd"));
}

TEST(Comparison, ProbabilitiesAreOfPairsOfSeedsAndOfAllComparisonsAtOnce) {
    const std::vector<double> base{1.0, 1.4, 1.15, 1.6, 1.2}, other{1.2, 1.5, 1.1, 1.9, 1.4};
    std::vector<ComparedRun> runs;
    for (int seed = 1; seed <= 5; ++seed) {
        const auto i = static_cast<std::size_t>(seed - 1);
        for (const auto& [name, loss] :
             {std::pair("sync_sgd", base[i]), std::pair("dasgd", other[i]), std::pair("easgd", other[i] + 1)}) {
            runs.push_back(run(name, seed, 10));
            runs.back().finalLoss = loss;
        }
    }
    const double paired = 0.06429011098598765;  // scipy.stats.ttest_rel(other, base)
    auto groups = compareRuns(runs, "")->groups;
    EXPECT_NEAR(groups[1].lossP.value(), paired, 1e-12) << "the larger of two is as it is";
    EXPECT_LT(groups[2].lossP.value(), 1e-4) << "and the smaller counts twice";
    runs[1].finished = false;  // dasgd lacks a seed: no pairs
    groups = compareRuns(runs, "")->groups;
    EXPECT_NEAR(groups[1].lossP.value(), welchP(summarise({1.5, 1.1, 1.9, 1.4}), summarise(base)).value(), 1e-12);
}

// Those that came there have a mean of 2.67 s; two others were watched for 6 and 9 s.
TEST(Comparison, ATimeToATargetThatSomeRunsMissedIsAMedianOverAll) {
    std::vector<ComparedRun> runs;
    for (int seed = 1; seed <= 5; ++seed) runs.push_back(run("dasgd", seed, 10));
    runs[0].secondsWithoutTarget = 9;
    runs[1].secondsToTarget = 1.5;
    runs[2].secondsToTarget = 4;
    runs[3].secondsToTarget = 2.5;
    runs[4].secondsWithoutTarget = 6;
    const TimesToTarget times = compareRuns(runs, "")->groups[0].timesToTarget;
    EXPECT_EQ(times.n, 5U);
    EXPECT_EQ(times.reached, 3U);
    EXPECT_EQ(times.median, 4);
    runs[4].secondsWithoutTarget.reset();
    EXPECT_EQ(compareRuns(runs, "")->groups[0].timesToTarget.n, 0U) << "how long one was watched is not known";
}

// Simulated times that no seed changes are one draw. What is learnt in them differs.
TEST(Comparison, TimesThatAreEqualInAllRunsHaveNoInterval) {
    std::vector<ComparedRun> runs{run("dasgd", 1, 10), run("dasgd", 2, 10), run("dasgd", 3, 10), run("sync_sgd", 1, 40),
                                  run("sync_sgd", 2, 41)};
    for (ComparedRun& each : runs) {
        each.hidden = each.inflation = 1;
        each.bestAccuracy = 0.9;
        each.samplesPerS = 1e3 / *each.stepMs;
        each.time = TimeSource::Simulated;
    }
    const auto compared = compareRuns(runs, "");
    const ComparedGroup &dasgd = compared->groups[0], &sync = compared->groups[1];
    for (const Sample* times : {&dasgd.stepMs, &dasgd.hidden, &dasgd.samplesPerS, &dasgd.inflation}) {
        EXPECT_EQ(times->n, 3U);
        EXPECT_FALSE(times->std || times->confidence);
    }
    EXPECT_TRUE(dasgd.hasOneDraw());
    EXPECT_EQ(dasgd.bestAccuracy.confidence, 0) << "each of these runs was trained";
    EXPECT_FALSE(dasgd.stepRatio.confidence || dasgd.speedUp.confidence || dasgd.stepP);
    EXPECT_TRUE(sync.stepMs.confidence);
}

// Workers that never wait are blocked for exactly 0, and hide exactly all or nothing, in every repetition.
TEST(Comparison, MeasuredValuesThatAreEqualInAllRunsAreRepetitions) {
    for (const TimeSource time : {TimeSource::Measured, TimeSource::EmulatedLink}) {
        std::vector<ComparedRun> runs{run("independent", 1, 10), run("independent", 2, 11), run("independent", 3, 12)};
        for (ComparedRun& each : runs) {
            each.blocked = 0;
            each.hidden = 1;
            each.time = time;
        }
        const auto compared = compareRuns(runs, "");
        const ComparedGroup& group = compared->groups[0];
        EXPECT_FALSE(group.hasOneDraw()) << timeInWords(time);
        EXPECT_EQ(group.blocked.confidence, 0);
        EXPECT_EQ(group.hidden.confidence, 0);
        for (ComparedRun& each : runs) each.time = TimeSource::Imported;
        EXPECT_FALSE(compareRuns(runs, "")->groups[0].hasOneDraw());
        EXPECT_FALSE(compareRuns(runs, "")->groups[0].hidden.confidence) << "they may have been simulated";
        for (ComparedRun& each : runs) each.time = TimeSource::Simulated;
        EXPECT_TRUE(compareRuns(runs, "")->groups[0].hasOneDraw());
    }
}

TEST(Comparison, InflationThatScattersMoreThanItIsIsNotKnown) {
    std::vector<ComparedRun> runs{run("dasgd", 1, 10), run("dasgd", 2, 11)};
    runs[0].inflation = 1;
    runs[1].inflation = 1.3;
    EXPECT_EQ(compareRuns(runs, "")->groups[0].inflation.n, 0U) << "1.15 ± 1.9";
    runs[1].inflation = 1.02;
    EXPECT_EQ(compareRuns(runs, "")->groups[0].inflation.n, 2U);
}

TEST(Comparison, TheSameSeedTwiceIsOneRepetitionTheNewest) {
    std::vector<ComparedRun> runs{run("dasgd", 1, 10), run("dasgd", 2, 12), run("dasgd", 1, 30),
                                  run("dasgd", 2, 99, false)};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].runId.append(std::to_string(i));
        runs[i].startedAt = std::string("2026-01-0").append(std::to_string(i + 1));
    }
    for (const bool turned : {false, true}) {
        if (turned) std::reverse(runs.begin(), runs.end());
        const auto compared = compareRuns(runs, "");
        ASSERT_TRUE(compared);
        const ComparedGroup& group = compared->groups[0];
        EXPECT_EQ(group.runIds.size(), 4U);
        EXPECT_EQ(group.finished(), 2U);
        EXPECT_EQ(group.repeated, 2U) << "the older of seed 1, and of seed 2 the one that did not finish";
        EXPECT_EQ(group.unfinished, 0U);
        EXPECT_EQ(group.stepMs.n, 2U);
        EXPECT_EQ(group.stepMs.mean, 21) << "30 of the newer run of seed 1, 12 of seed 2";
    }
}

TEST(Comparison, TimeToATargetThatSomeDidNotReachHasNoRatio) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("sync_sgd", 2, 42), run("dasgd", 1, 10),
                                  run("dasgd", 2, 10.5)};
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].secondsToTarget = 20.0 + static_cast<double>(i);
    ASSERT_EQ(compareRuns(runs, "")->groups[1].targetRatio.n, 2U);
    ASSERT_TRUE(compareRuns(runs, "")->groups[1].targetP);
    for (const std::size_t lacks : {0, 2}) {
        auto some = runs;
        some[lacks].secondsToTarget.reset();
        const auto compared = compareRuns(some, "");
        EXPECT_EQ(compared->groups[1].targetRatio.n, 0U) << lacks;
        EXPECT_FALSE(compared->groups[1].targetP) << lacks;
    }
}

TEST(Comparison, LossesOfDifferentNumbersOfSamplesAreNotTested) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("sync_sgd", 2, 42), run("dasgd", 1, 10),
                                  run("dasgd", 2, 10.5)};
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].finalLoss = 0.1 * static_cast<double>(i + 1);
    EXPECT_TRUE(compareRuns(runs, "")->groups[1].lossP);
    runs[3].samples = 2000;
    const auto compared = compareRuns(runs, "");
    EXPECT_TRUE(compared->samplesDiffer);
    EXPECT_FALSE(compared->groups[1].lossP);
    EXPECT_TRUE(compared->groups[1].stepP) << "the time per step is comparable";
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
    EXPECT_FALSE(compared->groups[1].chosenOnValidation);
    // With a validation set the best accuracy is what was chosen on that, not the largest on the test set.
    for (ComparedRun& each : runs) each.settings["data.validation"] = "0.1";
    runs[1].chosen = EvaluationCurve({{0, 0.2}, {2000, 0.8}});
    const auto validated = compareRuns(runs, "");
    EXPECT_EQ(validated->groups[1].equalBestAccuracy.mean, 0.2);
    EXPECT_TRUE(validated->groups[1].chosenOnValidation);
    runs[1].samples = 1000;
    EXPECT_FALSE(compareRuns(runs, "")->equalSamples) << "all were trained on as many samples";
}

EvaluationCurve perplexities(std::vector<double> values) {
    std::vector<EvaluationCurve::Point> points;
    for (const double value : values)
        points.push_back({static_cast<std::int64_t>(points.size()) * 500, std::log(value)});
    return EvaluationCurve(points);
}

TEST(Comparison, ATextIsJudgedByThePerplexityOfTheModelThatWasChosen) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("sync_sgd", 2, 42), run("dasgd", 1, 10),
                                  run("dasgd", 2, 10.5)};
    const double last[] = {12, 14, 20, 21};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].language = true;
        runs[i].losses = perplexities({90, 10, last[i]});
        runs[i].accuracies = EvaluationCurve({{0, 0.1}, {500, 0.5}, {1000, 0.6}});
    }
    const auto onTest = compareRuns(runs, "");
    ASSERT_TRUE(onTest);
    EXPECT_NEAR(onTest->groups[1].bestPerplexity.mean, 10, 1e-12) << "without a validation set the smallest";
    EXPECT_FALSE(onTest->groups[1].chosenOnValidation);
    EXPECT_TRUE(onTest->groups[1].isOfTexts());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].settings["data.validation"] = "0.1";
        runs[i].chosenLosses = perplexities({90, last[i], last[i]});
    }
    const auto chosen = compareRuns(runs, "");
    EXPECT_NEAR(chosen->groups[0].bestPerplexity.mean, 13, 1e-12);
    EXPECT_NEAR(chosen->groups[1].bestPerplexity.mean, 20.5, 1e-12);
    EXPECT_LT(chosen->groups[1].perplexityP.value(), kSignificance);
    EXPECT_NEAR(chosen->groups[1].bestLoss.mean, (std::log(20) + std::log(21)) / 2, 1e-12);
    runs[3].chosenLosses = {};
    EXPECT_EQ(compareRuns(runs, "")->groups[1].bestPerplexity.n, 1U) << "recorded before the loss decided";
    runs[0].samples = 2000;
    const auto unequal = compareRuns(runs, "");
    ASSERT_EQ(unequal->equalSamples, 1000);
    EXPECT_NEAR(unequal->groups[0].equalBestPerplexity.mean, 13, 1e-12);
    EXPECT_FALSE(unequal->groups[1].perplexityP);
}

TEST(Comparison, ValuesAreJudgedByTheirLossAndClassesByTheirAccuracy) {
    ComparedRun values = run("dasgd", 1, 10);
    values.losses = EvaluationCurve({{0, 2.0}, {1000, 0.5}});
    EXPECT_EQ(values.bestLoss(), std::nullopt) << "the smallest loss on the test set would flatter";
    values.settings["data.validation"] = "0.1";
    values.chosenLosses = EvaluationCurve({{0, 2.0}, {1000, 0.6}});
    EXPECT_EQ(values.bestLoss(), 0.6);
    EXPECT_EQ(values.bestPerplexity(), std::nullopt);
    values.accuracies = EvaluationCurve({{0, 0.1}, {1000, 0.9}});
    EXPECT_EQ(values.bestLoss(), std::nullopt);
}

TEST(Comparison, SkewAndInflationAreOfTheRunsThatRecordedThem) {
    std::vector<ComparedRun> runs{run("dasgd", 1, 10), run("dasgd", 2, 10.5), run("dasgd", 3, 11)};
    runs[0].skewMs = 2;
    runs[1].skewMs = 4;
    runs[2].inflation = 1.25;
    const auto compared = compareRuns(runs, "");
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->groups[0].skewMs.n, 2U);
    EXPECT_EQ(compared->groups[0].skewMs.mean, 3);
    EXPECT_EQ(compared->groups[0].inflation.n, 1U);
    EXPECT_EQ(compared->groups[0].inflation.mean, 1.25);
}

TEST(Comparison, SaysWhereItsTimesComeFrom) {
    std::vector<ComparedRun> runs{run("sync_sgd", 1, 40), run("dasgd", 1, 10), run("easgd", 1, 10, false)};
    runs[1].time = TimeSource::Simulated;
    runs[2].time = TimeSource::EmulatedLink;
    const auto compared = compareRuns(runs, "");
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->groups[1].times, std::set{TimeSource::Simulated});
    EXPECT_EQ(compared->times(), (std::set{TimeSource::Measured, TimeSource::Simulated})) << "of finished runs";
}

}  // namespace
}  // namespace dasgd
