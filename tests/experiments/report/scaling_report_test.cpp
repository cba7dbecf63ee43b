// The tables of `dasgd scale`.
#include "experiments/report/scaling_report.h"

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
            .secondsToTarget = secondsToTarget};
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
    EXPECT_THAT(text, HasSubstr("s to accuracy ≥ 0.97\n"));
    EXPECT_THAT(text, HasSubstr("5.0000 ± 1.4142\n"));
    EXPECT_THAT(text, HasSubstr("2.0000 (1 of 2)\n"));
    EXPECT_THAT(text, HasSubstr("62.50 ± 0"));
    EXPECT_THAT(text, HasSubstr("mean ± standard deviation over n seeds"));
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

TEST(ScalingReport, WhatNobodyReachedIsSaid) {
    ScalingReport made = report();
    made.tables.front().points = scalingPoints({run(1, "1", 10, std::nullopt)});
    made.tables.front().unfinished = 2;
    EXPECT_THAT(scalingText(made), HasSubstr("not reached"));
    EXPECT_THAT(scalingText(made), HasSubstr("2 runs that failed or were stopped are left out"));
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
