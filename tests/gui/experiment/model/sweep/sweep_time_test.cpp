#include "gui/experiment/model/sweep/sweep_time.h"

#include <gtest/gtest.h>

#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

std::string config(int delay, int seed, int steps) {
    return "name = \"any\"\n[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) +
           "\n[cluster]\nbackend = \"gloo\"\nworkers = 4\n[train]\nseed = " + std::to_string(seed) +
           "\nsteps = " + std::to_string(steps) + "\n";
}

RunItemPtr runOf(const std::string& id, int delay, double stepMs, const std::string& day = "20",
                 bool simulated = false) {
    storage::RunRow row = makeRun(id, "dasgd", config(delay, 1, 50))->row;
    row.startedAt = "2026-11-" + day + "T12:00:00Z";
    row.stepMs = stepMs;
    row.timeSimulated = simulated;
    return makeRunItem(std::move(row));
}

std::vector<PlannedRun> plan(std::initializer_list<int> delays) {
    std::vector<PlannedRun> runs;
    for (const int delay : delays) runs.push_back({.steps = 1000, .config = config(delay, 9, 1000)});
    return runs;
}

TEST(SweepTime, IsThatOfTheNewestRunOfTheSameSettingsWhateverItsSeedAndLength) {
    const std::vector<RunItemPtr> runs{runOf("old", 1, 90), runOf("new", 1, 6, "21"), runOf("two", 2, 4),
                                       runOf("sim", 1, 0.1, "22", true)};
    const SweepTime time = sweepTime(plan({1, 2}), 2, runs);
    EXPECT_NEAR(time.seconds, 10, 1e-9);
    EXPECT_EQ(time.from, (QStringList{"new", "two"}));
    EXPECT_EQ(time.inWords(), QStringLiteral("about 10 s"));
    EXPECT_TRUE(time.basis().contains(QLatin1String("in new and 1 more; starting and evaluating not counted")));
}

TEST(SweepTime, WhatIsKnownOfSomeRunsOnlySaysSo) {
    const SweepTime time = sweepTime(plan({1, 2, 2}), 3, std::vector<RunItemPtr>{runOf("a", 1, 300)});
    EXPECT_EQ(time.inWords(), QStringLiteral("5.0 min for 1 of 3 runs"));
    EXPECT_TRUE(time.basis().endsWith(QLatin1String("the others have neither a measurement nor a forecast")));
}

TEST(SweepTime, NothingIsGuessed) {
    const SweepTime other = sweepTime(plan({1}), 1, std::vector<RunItemPtr>{runOf("a", 2, 6)});
    EXPECT_EQ(other.inWords(), QStringLiteral("not known"));
    EXPECT_TRUE(other.basis().startsWith(QLatin1String("no finished run")));
    EXPECT_EQ(sweepTime(plan({1}), 1, std::vector<RunItemPtr>{runOf("a", 1, 6, "21", true)}).known, 0);
    EXPECT_EQ(sweepTime({{.steps = 0, .config = config(1, 1, 0)}}, 1, std::vector<RunItemPtr>{runOf("a", 1, 6)}).known,
              0)
        << "how many steps is not known";
}

TEST(SweepTime, OfASimulatedClusterIsHowLongThisComputerSimulatedIt) {
    storage::RunRow row = runOf("sim", 1, 0.1, "22", true)->row;
    row.steps = 60;
    row.resumedStep = 10;
    row.endedAt = "2026-11-22T12:00:02.500Z";
    const std::vector<RunItemPtr> runs{makeRunItem(row)};
    const SweepTime time = sweepTime(plan({1, 1}), 2, runs);
    EXPECT_NEAR(time.seconds, 2 * 1000 * 2.5 / 50, 1e-9) << "50 of the steps are its own";
    EXPECT_TRUE(time.basis().endsWith(QLatin1String("in sim; with what those took to start and to evaluate")));
    const SweepTime mixed = sweepTime(plan({1, 2}), 2, std::vector<RunItemPtr>{runs[0], runOf("two", 2, 4)});
    EXPECT_TRUE(mixed.basis().endsWith(QLatin1String("counted in simulated runs alone")));
    row.endedAt.clear();
    EXPECT_EQ(sweepTime(plan({1}), 1, std::vector<RunItemPtr>{makeRunItem(row)}).known, 0) << "its end is not known";
}

// Forecasts of runs 0 and 2 with a measured step, of run 1 with a simulated one, and of run 3, which has no formula.
std::vector<ForecastCase> forecasts() {
    ForecastCase slow, simulated, unknown;
    slow.runs = {0, 2};
    slow.round = *forecastRound({.period = 1, .delay = 0, .compute = 0.02, .exchange = {.first = 0.01}});
    simulated = slow;
    simulated.runs = {1};
    simulated.step.given = true;
    unknown.runs = {3};
    unknown.why = QStringLiteral("no formula");
    return {slow, simulated, unknown};
}

TEST(SweepTime, WhatNoRunHasMeasuredIsForecast) {
    const SweepTime time = sweepTime(plan({1, 2, 2, 3}), 4, std::vector<RunItemPtr>{runOf("a", 1, 6)}, forecasts());
    EXPECT_EQ(time.known, 2) << "the times of a simulated cluster are not those of simulating it";
    EXPECT_EQ(time.forecast, 1) << "what was measured goes first";
    EXPECT_NEAR(time.seconds, 6 + 30, 1e-9);
    ASSERT_EQ(time.each.size(), 4U);
    EXPECT_NEAR(time.each[0].value_or(0), 6, 1e-9);
    EXPECT_FALSE(time.each[1]);
    EXPECT_NEAR(time.each[2].value_or(0), 30, 1e-9);
    EXPECT_TRUE(time.basis().contains(QLatin1String("in a, by the forecast for 1 run; starting")));
}

TEST(SweepTime, OfASimulatedClusterItSaysWhyNothingIsKnown) {
    const SweepTime time = sweepTime(plan({1, 1}), 2, {}, std::vector<ForecastCase>{forecasts()[1]});
    EXPECT_EQ(time.inWords(), QStringLiteral("not known"));
    EXPECT_TRUE(time.basis().contains(QLatin1String("simulated"))) << time.basis().toStdString();
    EXPECT_FALSE(time.basis().contains(QLatin1String("no forecast"))) << "there is one, of other times";
}

TEST(SweepTime, WithoutAnyRunTheForecastIsAllThereIs) {
    const SweepTime time = sweepTime(plan({1}), 1, {}, std::vector<ForecastCase>{forecasts()[0]});
    EXPECT_EQ(time.inWords(), QStringLiteral("about 30 s"));
    EXPECT_TRUE(time.basis().contains(QLatin1String("in the forecast; starting")));
}

TEST(SweepTime, OfManyRunsTheFirstAreLookedAtAndItSaysHowMany) {
    std::vector<PlannedRun> many(300, plan({1})[0]);
    const SweepTime time = sweepTime(many, 5000, std::vector<RunItemPtr>{runOf("a", 1, 6)});
    EXPECT_EQ(time.looked, 100);
    EXPECT_TRUE(time.inWords().endsWith(QStringLiteral("for 100 of %1 runs").arg(grouped(5000))));
    EXPECT_TRUE(time.basis().endsWith(QLatin1String("looked at the first 100 runs")));
}

}  // namespace
}  // namespace dasgd::gui
