// The tables of `dasgd scale`.
#include "experiments/tools/report/scaling_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ScalingRun run(int workers, const std::string& seed, double stepMs, std::optional<double> secondsToTarget) {
    return {.runId = "r" + std::to_string(workers) + seed,
            .seeds = seed,
            .workers = workers,
            .batch = 32,
            .stepMs = stepMs,
            .hidden = 0.5,
            .secondsToTarget = secondsToTarget,
            .timeSimulated = true};
}

ScalingReport report() {
    ScalingReport made{.target = Target{Target::Metric::Accuracy, 0.97}};
    ScalingTable table{.label = "dasgd delay=2", .algorithm = "dasgd", .backend = "virtual", .simulated = true};
    table.points =
        scalingPoints({run(1, "1", 10, 4), run(1, "2", 10, 6), run(8, "1", 16, 2), run(8, "2", 16, std::nullopt)});
    made.tables.push_back(table);
    return made;
}

TEST(ScalingReport, ATableSaysEveryNumberWithItsSpread) {
    const std::string text = scalingText(report());
    EXPECT_THAT(text, HasSubstr("Weak scaling"));
    EXPECT_THAT(text, HasSubstr("dasgd delay=2 (time simulated)\nworkers  batch  n"));
    EXPECT_THAT(text, HasSubstr("s to accuracy ≥ 0.97 (test set)\n"));
    EXPECT_THAT(text, HasSubstr("5.00 ± 12.71\n"));
    EXPECT_THAT(text, HasSubstr("2.00 (1 of 2)\n"));
    EXPECT_THAT(text, HasSubstr(" 62.5 "));
    EXPECT_THAT(text, HasSubstr("mean ± half of the 95 % confidence interval over n seeds"));
}

TEST(ScalingReport, AsMarkdownHasTheSameRowsAsAnotherTable) {
    const std::string text = scalingText(report(), Markup::Markdown);
    EXPECT_THAT(text, HasSubstr("\n| workers | batch |"));
    EXPECT_THAT(text, HasSubstr("\n| :------ | ----: |"));
}

TEST(ScalingReport, OnlySimulatedTimesAreCalledOneDraw) {
    ScalingReport simulated = report();
    EXPECT_THAT(scalingText(simulated), HasSubstr(kOneDrawInWords));
    simulated.tables[0].simulated = false;
    EXPECT_THAT(scalingText(simulated), Not(HasSubstr(kOneDrawInWords)));
}

TEST(ScalingReport, LinesThatBeginApartAreNotComparedHoweverTheirSeedsScatter) {
    const auto made = [](double by) {
        ScalingReport apart;
        for (const auto& [label, stepMs] : {std::pair("sync_sgd", 60.0), std::pair("dasgd", 70.0)}) {
            apart.tables.push_back({.label = label});
            apart.tables.back().points =
                scalingPoints({run(1, "1", stepMs - by, {}), run(1, "2", stepMs + by, {}), run(8, "1", 90, {})});
        }
        return scalingText(apart);
    };
    EXPECT_THAT(made(4), HasSubstr("dasgd has 86 % of the samples/s of sync_sgd, no further apart than their seeds "
                                   "scatter\n"));
    EXPECT_THAT(made(0.1), HasSubstr("dasgd has 86 % of the samples/s of sync_sgd\n"));
}

TEST(ScalingReport, SaysOnWhichSetTheTargetIsJudged) {
    ScalingReport made = report();
    EXPECT_EQ(scalingJson(made)["configurations"][0]["target_on"], "test");
    made.tables.front().validates = true;
    EXPECT_THAT(scalingText(made), HasSubstr("s to accuracy ≥ 0.97 (validation set)\n"));
    EXPECT_EQ(scalingJson(made)["configurations"][0]["target_on"], "validation");
    made.target.reset();
    EXPECT_THAT(scalingText(made), Not(HasSubstr("validation")));
    EXPECT_FALSE(scalingJson(made)["configurations"][0].contains("target_on"));
}

TEST(ScalingReport, SaysWhatIsMeasuredAndHow) {
    ScalingReport made = report();
    made.tables.front().simulated = false;
    made.tables.front().backend = "gloo";
    EXPECT_THAT(scalingText(made), HasSubstr("(measured, gloo)"));
    made.tables.front().link = "200Mbps, 1ms";
    EXPECT_THAT(scalingText(made), HasSubstr("(measured, gloo, emulated link 200Mbps, 1ms)"));
}

TEST(ScalingReport, SaysWhatStrongScalingAssumes) {
    ScalingReport made = report();
    made.scaling = Scaling::Strong;
    EXPECT_THAT(scalingText(made), HasSubstr("Strong scaling"));
    EXPECT_THAT(scalingText(made), Not(HasSubstr("divided as the batch was")));
    made.sharesStepTime = true;
    EXPECT_THAT(scalingText(made), HasSubstr("divided as the batch was"));
}

TEST(ScalingReport, ANumberOfWorkersThatCannotBeRunIsARowAndAReason) {
    ScalingReport made = report();
    made.tables.front().refused = {{4, "e.toml:3:1: why"}, {64, "e.toml:3:1: too many"}};
    const std::string text = scalingText(made);
    const auto one = text.find("\n1 "), four = text.find("\n4 "), eight = text.find("\n8 "), most = text.find("\n64 ");
    ASSERT_NE(most, std::string::npos);
    EXPECT_LT(one, four);
    EXPECT_LT(four, eight);
    EXPECT_LT(eight, most);
    EXPECT_EQ(text.substr(four + 1, text.find('\n', four + 1) - four - 1).find_first_of("0123456789", 1),
              std::string::npos)
        << "no numbers but that of the workers";
    EXPECT_THAT(text,
                HasSubstr("\n4 workers cannot be run: e.toml:3:1: why\n64 workers cannot be run: e.toml:3:1: too"));
    const nlohmann::json json = scalingJson(made)["configurations"][0];
    EXPECT_EQ(json["points"].size(), 2U);
    EXPECT_EQ(json["refused"][1], (nlohmann::json{{"workers", 64}, {"why", "e.toml:3:1: too many"}}));
}

TEST(ScalingReport, WhatNobodyReachedIsSaid) {
    ScalingReport made = report();
    made.tables.front().points = scalingPoints({run(1, "1", 10, std::nullopt)});
    made.tables.front().unfinished = 2;
    EXPECT_THAT(scalingText(made), HasSubstr("not reached"));
    EXPECT_THAT(scalingText(made), HasSubstr("2 runs that failed, were stopped or never began are left out"));
    ScalingRun untimed = run(1, "1", 10, std::nullopt);
    untimed.reachedTarget = true;
    made.tables.front().points = scalingPoints({untimed});
    EXPECT_THAT(scalingText(made), HasSubstr("reached, not timed"));
    EXPECT_EQ(scalingJson(made)["configurations"][0]["points"][0]["reached_target"], 1);
}

TEST(ScalingReport, JsonNamesTheRunsBehindEachPoint) {
    const auto json = scalingJson(report());
    EXPECT_EQ(json["scaling"], "weak");
    EXPECT_EQ(json["target"]["metric"], "accuracy");
    const auto& configuration = json["configurations"][0];
    EXPECT_EQ(configuration["time"], "simulated");
    const auto& point = configuration["points"][1];
    EXPECT_EQ(point["workers"], 8);
    EXPECT_EQ(point["runs"], (std::vector<std::string>{"r81", "r82"}));
    EXPECT_EQ(point["efficiency"]["mean"], 0.625);
    EXPECT_EQ(point["speed_up"]["n"], 2);
    EXPECT_EQ(point["s_to_target"]["n"], 1);
    ScalingReport plain = report();
    plain.target.reset();
    EXPECT_TRUE(scalingJson(plain)["target"].is_null());
    EXPECT_FALSE(scalingJson(plain)["configurations"][0]["points"][0].contains("s_to_target"));
}

}  // namespace
}  // namespace dasgd::experiments
