#include "experiments/tools/report/comparison_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tools/report/comparison_text.h"

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ComparedGroup group(const std::string& label) {
    ComparedGroup made{.label = label, .algorithm = label, .runIds = {"r1", "r2"}};
    made.samples = {2, 4000, 0.0, 0.0};
    made.finalLoss = {2, 0.5, 0.01, 0.09};
    made.stepMs = {2, 10, 0.5, 4.5};
    return made;
}

std::vector<std::string> headsOf(const std::vector<ComparisonColumn>& table) {
    std::vector<std::string> heads;
    for (const ComparisonColumn& column : table) heads.push_back(column.head);
    return heads;
}

TEST(ComparisonColumns, WhatNoRunRecordedIsLeftOutAndNamed) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    const ComparisonTables none = comparisonTables(comparison);
    ASSERT_EQ(none.tables.size(), 2U);
    EXPECT_THAT(headsOf(none.tables[0]), ElementsAre("samples", "final loss"));
    EXPECT_THAT(headsOf(none.tables[1]), ElementsAre("ms/step"));
    EXPECT_THAT(none.lacking, ElementsAre("hidden %", "blocked %", "skew ms", "inflation", "sent"));
    EXPECT_FALSE(none.hasDash);
    EXPECT_THAT(comparisonText(comparison),
                HasSubstr("no run has recorded it: hidden %, blocked %, skew ms, inflation"));

    comparison.groups[1].skewMs = {1, 2.5, std::nullopt, std::nullopt};
    comparison.groups[1].inflation = {2, 1.25, 0.05, 0.45};
    const ComparisonTables some = comparisonTables(comparison);
    EXPECT_THAT(headsOf(some.tables[1]), ElementsAre("ms/step", "skew ms", "inflation"));
    EXPECT_THAT(some.tables[1][1].cells, ElementsAre("–", "2.50 (1 of 2)"));
    EXPECT_THAT(some.tables[1][2].cells, ElementsAre("–", "1.250 ± 0.450~")) << "1 lies in it";
    EXPECT_THAT(comparisonText(comparison), HasSubstr("~ no inflation: 1 lies in the interval"));
    comparison.groups[1].inflation = {2, 1.25, 0.01, 0.09};
    EXPECT_THAT(comparisonTables(comparison).tables[1][2].cells, ElementsAre("–", "1.250 ± 0.090"));
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("~ no inflation")));
    comparison.groups[1].inflation = {2, 0.75, 0.01, 0.09};
    EXPECT_THAT(comparisonTables(comparison).tables[1][2].cells, ElementsAre("–", "not measurable"));
    comparison.groups[0].hidden = {1, 0.5, std::nullopt, std::nullopt};
    EXPECT_EQ(comparisonTables(comparison).tables[1][3].cells.front(), "not known") << "something was transferred";
    EXPECT_TRUE(some.hasDash);
    EXPECT_THAT(comparisonText(comparison), HasSubstr("– none of its runs has it"));
}

// Equal simulated times were "10.00 ± 0 (CI ±0)".
TEST(ComparisonColumns, TimesThatAreOneDrawHaveNoIntervalAndANoteSaysSo) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr(kOneDrawInWords)));
    comparison.groups[1].stepMs = summariseTimes({10, 10});
    EXPECT_EQ(comparisonTables(comparison).tables[1][0].cells[1], "10.0");
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr(kOneDrawInWords))) << "none of it is simulated";
    comparison.groups[1].times = {TimeSource::Simulated};
    EXPECT_THAT(comparisonText(comparison), HasSubstr(kOneDrawInWords));
}

TEST(ComparisonColumns, RatiosSayWhatIsDividedByWhatAndHowSurelyTheyAreKnown) {
    Comparison comparison{{group("sync_sgd"), group("dasgd"), group("easgd"), group("other")}, "sync_sgd"};
    comparison.groups[0].stepRatio = comparison.groups[3].stepRatio = {1, 1, std::nullopt, std::nullopt};
    comparison.groups[0].isBaseline = true;
    comparison.groups[1].stepRatio = {2, 0.281, 0.01, 0.0214};
    comparison.groups[2].stepRatio = {1, 0.5, std::nullopt, std::nullopt};
    const ComparisonTables made = comparisonTables(comparison);
    ASSERT_THAT(headsOf(made.tables[1]), ElementsAre("ms/step", "ms/step ÷ baseline's"));
    EXPECT_THAT(made.tables[1][1].cells, ElementsAre("1.000", "0.281 ± 0.021", "0.500", "1.000"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("baseline: sync_sgd"));
}

TEST(ComparisonColumns, OfTextsThePerplexityStandsInPlaceOfTheAccuracyOfTokens) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    for (ComparedGroup& each : comparison.groups) {
        each.bestAccuracy = {2, 0.4, 0.01, 0.09};
        each.bestPerplexity = {2, 8.5, 0.1, 0.9};
        each.bestLoss = {2, 2.14, 0.01, 0.09};
        each.chosenOnValidation = true;
    }
    comparison.groups[1].perplexityP = 0.01;
    const auto table = comparisonTables(comparison).tables[0];
    EXPECT_THAT(headsOf(table), ElementsAre("samples", "final loss", "best perplexity"));
    EXPECT_THAT(table[2].cells[1], HasSubstr("8.50 ± 0.90"));
    EXPECT_THAT(table[2].cells[1], HasSubstr("†"));
    EXPECT_THAT(table[2].cells[0], Not(HasSubstr("§")));
    comparison.groups[0].chosenOnValidation = false;
    EXPECT_THAT(comparisonTables(comparison).tables[0][2].cells[0], HasSubstr("§"));

    // A language model beside a classifier: each has its own column.
    comparison.groups[0].bestPerplexity = comparison.groups[0].bestLoss = {};
    const auto mixed = comparisonTables(comparison).tables[0];
    EXPECT_THAT(headsOf(mixed), ElementsAre("samples", "final loss", "best accuracy %", "best perplexity"));
    EXPECT_EQ(mixed[2].cells[1], "–");
    EXPECT_EQ(mixed[3].cells[0], "–");
}

TEST(ComparisonColumns, OfValuesTheLossOfTheChosenModelStandsThere) {
    Comparison comparison{{group("dasgd")}, "dasgd"};
    comparison.groups[0].bestLoss = {2, 0.25, 0.01, 0.09};
    comparison.groups[0].chosenOnValidation = true;
    EXPECT_THAT(headsOf(comparisonTables(comparison).tables[0]), Contains("best loss"));
}

TEST(ComparisonColumns, AColumnHasOneNumberOfDecimalsAndOneUnit) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    comparison.groups[0].stepMs = {2, 120.5, 1, 9};
    comparison.groups[1].stepMs = {2, 3.97, 0.01, 0.09};
    comparison.groups[0].hidden = {2, 0.0, 0, 0};
    comparison.groups[1].hidden = {2, 0.99712, 0.001, 0.0021};
    comparison.groups[0].bytesSent = {2, 844e6, 0, 0};
    comparison.groups[1].bytesSent = {2, 900e3, 0, 0};
    const std::vector<ComparisonColumn> steps = comparisonTables(comparison).tables[1];
    ASSERT_THAT(headsOf(steps), ElementsAre("ms/step", "hidden %", "inflation", "sent MB"));
    EXPECT_THAT(steps[0].cells, ElementsAre("120.50 ± 9.00", "3.97 ± 0.09"));
    EXPECT_THAT(steps[1].cells, ElementsAre("0.0 ± 0.0", "99.7 ± 0.2"));
    EXPECT_THAT(steps[3].cells, ElementsAre("844.0", "0.9"));
}

// The means over those that reached it would be of other seeds.
TEST(ComparisonColumns, TimesToATargetAreDividedWhereAllRunsReachedIt) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    for (ComparedGroup& each : comparison.groups) each.stepsToTarget = each.secondsToTarget = {2, 6, 0.5, 4.5};
    comparison.groups[1].secondsToTarget = {1, 1.25, std::nullopt, std::nullopt};
    EXPECT_THAT(headsOf(comparisonTables(comparison).tables[2]), ElementsAre("s to target", "steps to target"));
    EXPECT_THAT(comparisonTables(comparison).lacking, Not(Contains(HasSubstr("÷"))));
    comparison.groups[1].targetRatio = {2, 0.208, 0.01, 0.09};
    EXPECT_THAT(comparisonTables(comparison).tables[2][1].cells, ElementsAre("–", "0.208 ± 0.090"));
}

// A time that is not known is not estimated, and that is said.
TEST(ComparisonColumns, TheWayToATargetWithoutATimeIsShownWithoutIt) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    EXPECT_FALSE(hasTarget(comparison));
    comparison.groups[1].stepsToTarget = {2, 250, 10, 90};
    EXPECT_TRUE(hasTarget(comparison));
    const ComparisonTables made = comparisonTables(comparison);
    ASSERT_EQ(made.tables.size(), 3U);
    EXPECT_THAT(headsOf(made.tables[2]), ElementsAre("steps to target"));
    EXPECT_THAT(made.lacking, Contains("s to target"));
}

// The mean of those that came there would be 2.67 s.
TEST(ComparisonColumns, AMedianStandsThereWhereSomeRunsDidNotReachTheTarget) {
    Comparison comparison{{group("sync_sgd"), group("dasgd")}, "sync_sgd"};
    for (ComparedGroup& each : comparison.groups) each.stepsToTarget = {2, 100, 1, 9};
    comparison.groups[0].timesToTarget = {.n = 2, .reached = 2, .median = 8, .low = 7, .high = 8};
    comparison.groups[1].timesToTarget = {.n = 5, .reached = 5, .median = 4, .low = 1.5, .high = 6};
    EXPECT_THAT(headsOf(comparisonTables(comparison).tables[2]), ElementsAre("steps to target"));
    comparison.groups[1].timesToTarget = {.n = 5, .reached = 3, .median = 4, .low = 1.5, .high = {}};
    const auto table = comparisonTables(comparison).tables[2];
    ASSERT_THAT(headsOf(table), ElementsAre("steps to target", "median s to target"));
    EXPECT_THAT(table[1].cells, ElementsAre("8.00 (7.00 to 8.00)", "4.00 (1.50 to –)"));
}

}  // namespace
}  // namespace dasgd::experiments
