// Tables and sentences of a comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/tools/report/comparison_text.h"

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
        each.stepRatio = {2, each.stepMs.mean / 30, std::nullopt, std::nullopt};
        each.computeRatio = {2, each.stepMs.mean / computeMs, std::nullopt, std::nullopt};
        each.blocked = {2, 0.05, std::nullopt, std::nullopt};
    }
    return comparison;
}

TEST(ComparisonText, SaysWhoIsFasterByHowMuch) {
    const std::string text = comparisonText(three());
    EXPECT_THAT(text, HasSubstr("Per step, dasgd is 3.0 times as fast as sync_sgd (10.00 ms against 30.00 ms)"));
    EXPECT_THAT(
        text,
        HasSubstr("computing alone would take 8.000 ms, 2.000 ms less; ranks are blocked for 0.5000 ms of a step, and "
                  "the rest is computing that was slower than alone"));
    EXPECT_THAT(text, HasSubstr("10.00 ± 4.49"));
    EXPECT_THAT(text, Not(HasSubstr("Per step, independent")));
}

TEST(ComparisonText, RatiosHaveTheirIntervalInFilesToo) {
    Comparison comparison = three();
    comparison.groups[1].stepRatio.confidence = 0.125;
    EXPECT_EQ(comparisonJson(comparison)["groups"][1]["step_ratio_over_seeds"]["ci95"], 0.125);
    EXPECT_THAT(comparisonCsv(comparison),
                HasSubstr(",step_ratio_ci95,compute_ratio_ci95,setup,disturbed,partly_read\r\n"));
    EXPECT_THAT(comparisonCsv(comparison), HasSubstr(",0.125,,,0,0\r\n"));
}

TEST(ComparisonText, WarnsWhereSetUpsDiffer) {
    Comparison comparison = three();
    for (ComparedGroup& each : comparison.groups) each.setups = {{{"link", "1Gbps, 1ms, emulated", {}}}};
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("set-ups")));
    EXPECT_TRUE(comparisonJson(comparison)["setups_differ_in"].empty());
    comparison.groups[1].setups = {{{"link", "200Mbps, 1ms, emulated", {}}}};
    EXPECT_THAT(comparisonText(comparison),
                HasSubstr("warning: set-ups differ, so that ratios and results are not of algorithms alone: link "
                          "1Gbps, 1ms, emulated / 200Mbps, 1ms, emulated\n"));
    const nlohmann::json json = comparisonJson(comparison);
    EXPECT_EQ(json["setups_differ_in"][0]["what"], "link");
    EXPECT_EQ(json["setups_differ_in"][0]["values"][1], "200Mbps, 1ms, emulated");
    EXPECT_EQ(json["groups"][1]["setup"], "link 200Mbps, 1ms, emulated");
    EXPECT_THAT(comparisonCsv(comparison), HasSubstr(",\"link 200Mbps, 1ms, emulated\",0,0\r\n"));
}

TEST(ComparisonText, WarnsOfRunsBesideOtherPrograms) {
    Comparison comparison = three();
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("other programs")));
    comparison.groups[1].disturbed = 1;
    EXPECT_THAT(comparisonText(comparison),
                HasSubstr("warning: other programs took cores beside 1 of " +
                          std::to_string(comparison.groups[1].finished()) + " runs of " + comparison.groups[1].label));
    EXPECT_EQ(comparisonJson(comparison)["groups"][1]["disturbed"], 1);
}

TEST(ComparisonText, RunsThatWereReadInPartAreCountedWhereverTheyAreTold) {
    Comparison comparison = three();
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("read in part")));
    EXPECT_EQ(comparisonJson(comparison)["groups"][1]["partly_read"], 0);
    comparison.groups[1].partlyRead = 2;
    EXPECT_THAT(comparisonText(comparison), HasSubstr("warning: 2 of 2 runs of dasgd were read in part"));
    EXPECT_EQ(comparisonJson(comparison)["groups"][1]["partly_read"], 2);
    EXPECT_EQ(comparisonJson(comparison)["groups"][0]["partly_read"], 0);
    EXPECT_THAT(comparisonCsv(comparison), HasSubstr(",0,2\r\n"));
}

TEST(ComparisonText, ACostBelowNothingIsCalledNoise) {
    Comparison comparison = three();
    EXPECT_THAT(comparisonText(comparison), Not(HasSubstr("noise")));
    comparison.groups[1].stepMs.mean = 7;
    comparison.groups[1].computeRatio.mean = 7.0 / 8;
    EXPECT_THAT(comparisonText(comparison), HasSubstr("8.000 ms, more than a step took, which can only be noise"));
}

TEST(ComparisonText, LeavesUnfinishedRunsVisible) {
    Comparison comparison = three();
    comparison.groups[1].unfinished = 2;
    comparison.groups[1].stepMs = {};
    comparison.groups[1].stepRatio = {};
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
    EXPECT_THAT(text, HasSubstr("0.250 (1 of 2)"));
    EXPECT_THAT(text, HasSubstr("paired over equal seeds, with Holm's correction"));
    EXPECT_THAT(text, HasSubstr("2‡"));
    EXPECT_THAT(text, HasSubstr("‡ of runs with the same seeds only the newest finished one counts"));
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
    EXPECT_THAT(comparisonText(comparison), HasSubstr("0.625"));
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
    comparison.groups[0].stepsToTarget = {2, 400, 20, 180};
    comparison.groups[1].stepsToTarget = {1, 250, std::nullopt, std::nullopt};
    comparison.groups[1].samplesToTarget = {1, 8000, std::nullopt, std::nullopt};
    comparison.groups[1].bytesToTarget = {1, 2.5e6, std::nullopt, std::nullopt};
    const std::string text = comparisonText(comparison);
    EXPECT_THAT(text, HasSubstr("§ chosen on the test set itself, which is optimistic"));
    EXPECT_THAT(text, HasSubstr("s to target"));
    EXPECT_THAT(text, HasSubstr("12.5 (1 of 2)"));
    EXPECT_THAT(text, HasSubstr("250 (1 of 2)"));
    EXPECT_THAT(text, HasSubstr("400 ± 180"));
    EXPECT_THAT(text, HasSubstr("8000 (1 of 2)"));
    EXPECT_THAT(text, HasSubstr("2.5 (1 of 2)"));
    EXPECT_THAT(text, HasSubstr("sent to target by one rank, MB"));
    const auto json = comparisonJson(comparison);
    EXPECT_EQ(json["groups"][0]["best_chosen_on"], "validation");
    EXPECT_EQ(json["groups"][1]["best_chosen_on"], "test");
    EXPECT_EQ(json["groups"][1]["seconds_to_target"]["mean"], 12.5);
    EXPECT_EQ(json["groups"][0]["steps_to_target"]["mean"], 400);
    EXPECT_EQ(json["groups"][1]["samples_to_target"]["n"], 1);
    EXPECT_EQ(json["groups"][1]["bytes_by_rank_to_target"]["mean"], 2.5e6);
    EXPECT_THAT(comparisonCsv(comparison), HasSubstr(",12.5,,,test,250,,,8000,,,2500000,,,"));
    EXPECT_TRUE(json["groups"][1]["seconds_to_target_p"].is_null());
    EXPECT_THAT(text, Not(HasSubstr("†")));
    comparison.groups[1].targetP = 0.01;
    EXPECT_THAT(comparisonText(comparison), HasSubstr("(1 of 2)†"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("† differs from sync_sgd"));
    EXPECT_EQ(comparisonJson(comparison)["groups"][1]["seconds_to_target_p"], 0.01);
}

TEST(ComparisonText, SaysWhereItsTimesComeFrom) {
    Comparison comparison = three();
    for (ComparedGroup& each : comparison.groups) each.times = {TimeSource::Simulated};
    EXPECT_THAT(comparisonText(comparison), HasSubstr("time simulated; mean ± half"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("(10.00 ms against 30.00 ms, simulated)"));
    EXPECT_EQ(comparisonJson(comparison)["groups"][0]["time"], "simulated");
    EXPECT_THAT(comparisonCsv(comparison), HasSubstr(",simulated,,"));
    for (ComparedGroup& each : comparison.groups) {
        each.times = {TimeSource::EmulatedLink};
        each.emulatedLink = "200Mbps, 1ms";
    }
    EXPECT_THAT(comparisonText(comparison), HasSubstr("time measured, emulated link 200Mbps, 1ms; mean"));
    EXPECT_EQ(comparisonJson(comparison)["groups"][0]["emulated_link"], "200Mbps, 1ms");
    for (ComparedGroup& each : comparison.groups) {
        each.times = {TimeSource::Measured};
        each.emulatedLink.clear();
    }
    EXPECT_THAT(comparisonText(comparison), HasSubstr("time measured; mean"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("against 30.00 ms)"));
    comparison.groups[1].times = {TimeSource::Simulated};
    const std::string mixed = comparisonText(comparison);
    EXPECT_THAT(mixed, HasSubstr("warning: times of different kinds stand beside each other"));
    EXPECT_THAT(mixed, HasSubstr("sync_sgd measured; dasgd simulated; independent measured\n"));
    EXPECT_THAT(mixed, HasSubstr("(10.00 ms against 30.00 ms, simulated against measured)"));
    comparison.groups[1].times = {TimeSource::Measured, TimeSource::Simulated};
    EXPECT_THAT(comparisonText(comparison), HasSubstr("dasgd measured and simulated;"));
}

TEST(ComparisonText, EveryNumberOfATableHasItsN) {
    Comparison comparison = three();
    comparison.groups[1].skewMs = {1, 2.5, std::nullopt, std::nullopt};
    comparison.groups[1].inflation = {2, 1.25, 0.05, 0.45};
    comparison.groups[1].blocked = {2, 0.125, 0.01, 0.09};
    comparison.groups[1].bestPerplexity = {2, 8.5, 0.1, 0.9};
    comparison.groups[1].perplexityP = 0.25;
    const auto json = comparisonJson(comparison)["groups"][1];
    EXPECT_EQ(json["skew_ms"]["n"], 1);
    EXPECT_EQ(json["skew_ms"]["mean"], 2.5);
    EXPECT_EQ(json["compute_inflation"]["ci95"], 0.45);
    EXPECT_EQ(json["blocked"]["n"], 2);
    EXPECT_EQ(json["best_perplexity"]["mean"], 8.5);
    EXPECT_EQ(json["best_perplexity_p"], 0.25);
    EXPECT_TRUE(comparisonJson(comparison)["groups"][0]["skew_ms"]["mean"].is_null()) << "whole, if not recorded too";
    const std::string csv = comparisonCsv(comparison);
    const auto cellsOf = [](const std::string& line) { return std::ranges::count(line, ','); };
    const auto end = csv.find("\r\n"), next = csv.find("\r\n", end + 2);
    EXPECT_EQ(cellsOf(csv.substr(0, end)), cellsOf(csv.substr(end + 2, next - end - 2)));
    EXPECT_THAT(csv, HasSubstr(",skew_ms_mean,skew_ms_std,skew_ms_ci95,skew_ms_n,compute_inflation_mean,"));
    EXPECT_THAT(csv, HasSubstr(",2.5,,,1,1.25,0.05,0.45,2,"));
    EXPECT_THAT(csv, HasSubstr(",step_ms_n,final_loss_n,"));
}

// Notes on the numbers stand below the tables, in three lines at most.
TEST(ComparisonText, HasThreeFootnotesAtMostAndSaysOnceThatOneRunHasNoSpread) {
    Comparison comparison = three();
    for (ComparedGroup& each : comparison.groups) {
        each.times = {TimeSource::Simulated};
        each.bestAccuracy = {2, 0.9, 0.01, 0.09};
        each.stepsToTarget = {2, 400, 20, 180};
    }
    comparison.groups[1].unfinished = 1;
    comparison.groups[1].stepP = 0.01;
    comparison.groups[2].runIds = {"r3", "r4", "r5"};
    comparison.groups[2].repeated = 1;
    comparison.groups[0].inflation = {2, 0.75, 0.05, 0.45};
    comparison.groups[1].inflation = {2, 1.25, 0.05, 0.45};
    const std::string text = comparisonText(comparison);
    const auto notes = text.find("time simulated; mean ± half");
    ASSERT_NE(notes, std::string::npos) << text;
    EXPECT_LE(std::ranges::count(text.substr(notes, text.find("\n\n", notes) + 1 - notes), '\n'), 3) << text;
    for (const char* mark :
         {"† differs", "* runs that failed", "‡ of runs", "~ no inflation", "not measurable:", "§ chosen", "– none"}) {
        EXPECT_THAT(text.substr(notes), HasSubstr(mark));
    }
    const auto first = text.find("n = 1");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find("n = 1", first + 1), std::string::npos);
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
