#include "gui/experiment/model/sweep/sweep_lines.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

ForecastCase caseOf(const QString& label, std::vector<std::size_t> runs, double communication) {
    ForecastCase one;
    one.label = label;
    one.runs = std::move(runs);
    one.round = *forecastRound({.period = 4, .delay = 1, .compute = 0.01, .exchange = {.first = communication}});
    return one;
}

TEST(SweepLines, EachRoundHasItsForecastAndTheTimeOfItsRuns) {
    const std::vector<ForecastCase> cases{caseOf(QStringLiteral("d = 1"), {0, 1}, 0.02),
                                          caseOf(QStringLiteral("alone"), {2}, 0)};
    SweepTime time;
    time.each = {3.0, 4.0, 5.0};
    const auto lines = sweepLines(cases, time);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].label, QStringLiteral("d = 1"));
    EXPECT_EQ(lines[0].runs, 2U);
    EXPECT_NEAR(lines[0].hidden.value_or(0), 0.5, 1e-9) << "one step of 10 ms covers half of 20 ms";
    EXPECT_NEAR(lines[0].stepSeconds.value_or(0), (4 * 0.01 + 0.01) / 4, 1e-9);
    EXPECT_EQ(lines[0].seconds, 7.0);
    EXPECT_FALSE(lines[1].hidden) << "nothing is sent";
    EXPECT_EQ(lines[1].seconds, 5.0);
}

TEST(SweepLines, WhatIsNotKnownIsNotSaid) {
    ForecastCase unknown;
    unknown.label = QStringLiteral("other");
    unknown.runs = {1, 2};
    unknown.why = QStringLiteral("There is no formula for other.");
    SweepTime time;
    time.each = {3.0, 4.0, std::nullopt};
    const auto lines =
        sweepLines(std::vector<ForecastCase>{caseOf(QStringLiteral("d = 1"), {0, 7}, 0.02), unknown}, time);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_FALSE(lines[0].seconds) << "run 7 was not looked at";
    EXPECT_FALSE(lines[1].seconds) << "of a part of its runs it would be too short";
    EXPECT_FALSE(lines[1].stepSeconds);
    EXPECT_EQ(lines[1].tip, unknown.why);
}

TEST(SweepLines, ASingleRoundIsNoTable) {
    EXPECT_TRUE(sweepLines(std::vector<ForecastCase>{caseOf(QStringLiteral("dasgd"), {0}, 0.02)}, {}).empty());
    EXPECT_TRUE(sweepLines({}, {}).empty());
}

}  // namespace
}  // namespace dasgd::gui
