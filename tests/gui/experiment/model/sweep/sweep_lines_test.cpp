#include "gui/experiment/model/sweep/sweep_lines.h"

#include <gtest/gtest.h>

#include "tests/gui/support/forecasts.h"

namespace dasgd::gui {
namespace {

using namespace forecast_test;

TEST(SweepLines, EachRoundHasItsForecastAndTheTimeOfItsRuns) {
    ForecastCase one = caseOf(1, "d = 1"), alone = caseOf(0, "alone");
    one.runs = {0, 1};
    one.seconds = 7;
    alone.round = forecastRound({.period = 4, .delay = 1, .compute = 0.01}).value();
    const auto lines = sweepLines({one, alone});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].label, QStringLiteral("d = 1"));
    EXPECT_EQ(lines[0].runs, 2U);
    EXPECT_NEAR(lines[0].hidden.value_or(0), 5.0 / 22, 1e-9) << "one step of 5 ms covers so much of 22 ms";
    EXPECT_NEAR(lines[0].stepSeconds.value_or(0), 0.005 + 0.017 / 8, 1e-9);
    EXPECT_EQ(lines[0].seconds, 7.0);
    EXPECT_FALSE(lines[1].hidden) << "nothing is sent";
}

TEST(SweepLines, WhatIsNotKnownIsNotSaid) {
    const auto lines = sweepLines({caseOf(1, "d = 1"), unknownCase()});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_FALSE(lines[0].seconds);
    EXPECT_FALSE(lines[1].stepSeconds);
    EXPECT_EQ(lines[1].tip, QString::fromStdString(unknownCase().why));
}

TEST(SweepLines, ASingleRoundIsNoTable) { EXPECT_TRUE(sweepLines({caseOf(1)}).empty()); }

TEST(SweepLines, DurationsAreRough) {
    EXPECT_EQ(roughly(10), QStringLiteral("10 s"));
    EXPECT_EQ(roughly(372), QStringLiteral("6.2 min"));
    EXPECT_EQ(roughly(10'800), QStringLiteral("3.0 h"));
    EXPECT_EQ(roughly(216'000), QStringLiteral("2.5 days"));
}

}  // namespace
}  // namespace dasgd::gui
