// Tables and sentences of a comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/report/comparison_text.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparedGroup group(const std::string& label, double stepMs) {
    ComparedGroup made{.label = label, .algorithm = label, .runIds = {"r1", "r2"}};
    made.stepMs = {2, stepMs, 0.5, 4.49};
    return made;
}

Comparison three() {
    Comparison comparison{{group("sync_sgd", 30), group("dasgd", 10), group("independent", 8)}, "sync_sgd"};
    const double computeMs = 8;
    for (ComparedGroup& each : comparison.groups) {
        each.stepRatio = each.stepMs.mean / 30;
        each.computeRatio = each.stepMs.mean / computeMs;
    }
    return comparison;
}

TEST(ComparisonText, SaysWhoIsFasterByHowMuch) {
    const std::string text = comparisonText(three());
    EXPECT_THAT(text, HasSubstr("Per step, dasgd is 3.0 times as fast as sync_sgd (10.00 ms against 30.00 ms)"));
    EXPECT_THAT(text, HasSubstr("communication costs +25.0 %"));
    EXPECT_THAT(text, HasSubstr("10.00 ± 0.5000 (CI ±4.4900)"));
    EXPECT_THAT(text, Not(HasSubstr("Per step, independent")));
}

TEST(ComparisonText, ACostBelowNothingIsCalledNoise) {
    Comparison comparison = three();
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("noise")));
    comparison.groups[1].stepMs.mean = 7;
    comparison.groups[1].computeRatio = 7.0 / 8;
    EXPECT_THAT(comparisonText(comparison), HasSubstr("communication costs -12.5 %, which can only be noise"));
}

TEST(ComparisonText, LeavesUnfinishedRunsVisible) {
    Comparison comparison = three();
    comparison.groups[1].unfinished = 2;
    comparison.groups[1].stepMs = {};
    comparison.groups[1].stepRatio.reset();
    EXPECT_THAT(comparisonText(comparison), HasSubstr("0*"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("in no mean"));
}

TEST(ComparisonText, SaysOfHowManyRunsAMeanIsAndWhichSeedsRanAgain) {
    Comparison comparison = three();
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("of 2)")));
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("same seeds")));
    comparison.groups[1].finalLoss = {1, 0.25, std::nullopt, std::nullopt};
    comparison.groups[1].stepP = 0.01;
    comparison.groups[2].runIds.emplace_back("r3");
    comparison.groups[2].repeated = 1;
    const std::string text = comparisonText(comparison);
    EXPECT_THAT(text, HasSubstr("0.2500 (1 of 2)"));
    EXPECT_THAT(text, HasSubstr("not corrected for several comparisons"));
    EXPECT_THAT(text, HasSubstr("2‡"));
    EXPECT_THAT(text, HasSubstr("of runs with the same seeds the newest finished one counts"));
    EXPECT_EQ(comparisonJson(comparison)["groups"][2]["repeated"], 1);
}

TEST(ComparisonText, SaysWhereResultsAreOfDifferentNumbersOfSamples) {
    Comparison comparison = three();
    for (ComparedGroup& each : comparison.groups) each.samples = {2, 4000, 0.0, 0.0};
    EXPECT_THAT(comparisonText(comparison), HasSubstr("4000"));
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("warning")));

    comparison.groups[1].samples.mean = 8000;
    comparison.groups[1].equalLoss.n = 1;
    comparison.groups[1].equalLoss.mean = 0.625;
    comparison.equalSamples = 4000;
    EXPECT_THAT(comparisonText(comparison),
                HasSubstr("warning: the runs were trained on different numbers of samples"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("loss at 4000"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("0.6250"));
    EXPECT_EQ(comparisonJson(comparison)["equal_samples"], 4000);
    EXPECT_EQ(comparisonJson(comparison)["groups"][1]["loss_at_equal_samples"]["mean"], 0.625);

    comparison.equalSamples.reset();
    EXPECT_THAT(comparisonText(comparison), HasSubstr("their results are not comparable"));
}

TEST(ComparisonText, SaysWhereTheBestWasChosenAndWhenTheTargetWasReached) {
    Comparison comparison = three();
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("§")));
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("to target")));
    for (ComparedGroup& each : comparison.groups) {
        each.bestAccuracy = {2, 0.9, 0.01, 0.09};
        each.chosenOnValidation = true;
    }
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("§")));
    comparison.groups[1].chosenOnValidation = false;
    comparison.groups[1].secondsToTarget = {1, 12.5, std::nullopt, std::nullopt};
    const std::string text = comparisonText(comparison);
    EXPECT_THAT(text, HasSubstr("§ the largest accuracy on the test set, chosen on that set itself"));
    EXPECT_THAT(text, HasSubstr("s to target"));
    EXPECT_THAT(text, HasSubstr("(1 of 2)"));
    const auto json = comparisonJson(comparison);
    EXPECT_EQ(json["groups"][0]["best_chosen_on"], "validation");
    EXPECT_EQ(json["groups"][1]["best_chosen_on"], "test");
    EXPECT_EQ(json["groups"][1]["seconds_to_target"]["mean"], 12.5);
    EXPECT_THAT(comparisonCsv(comparison), HasSubstr(",12.5,,,test\r\n"));
}

TEST(ComparisonText, WritesCsvAndJson) {
    Comparison comparison = three();
    comparison.groups[0].label = "=evil,\"x\"";
    const std::string csv = comparisonCsv(comparison);
    EXPECT_THAT(csv, HasSubstr("\"'=evil,\"\"x\"\"\",sync_sgd,2,0,30,0.5,4.49,"));
    const auto json = comparisonJson(comparison);
    EXPECT_EQ(json["groups"][1]["step_ms"]["mean"], 10);
    EXPECT_TRUE(json["groups"][1]["final_loss"]["mean"].is_null());
    EXPECT_EQ(json["baseline"], "sync_sgd");
}

}  // namespace
}  // namespace dasgd::experiments
