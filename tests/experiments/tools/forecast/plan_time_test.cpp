#include "experiments/tools/forecast/plan_time.h"

#include <gmock/gmock.h>

#include "tests/experiments/tools/forecast/planned_runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string configOf(int delay, int seed, int steps, const char* backend = "gloo") {
    return "name = \"any\"\n[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) +
           "\n[cluster]\nbackend = \"" + backend + "\"\nworkers = 4\n[train]\nseed = " + std::to_string(seed) +
           "\nsteps = " + std::to_string(steps) + "\n";
}

// 50 steps in `wall` seconds.
storage::RunRow rowOf(const std::string& id, int delay, double wall) {
    storage::RunRow row;
    row.runId = id;
    row.status = "finished";
    row.algorithm = "dasgd";
    row.config = configOf(delay, 1, 50);
    row.steps = 50;
    row.wallS = wall;
    return row;
}

std::vector<CheckedExperiment> planOf(std::initializer_list<int> delays, const char* backend = "gloo") {
    std::vector<CheckedExperiment> runs;
    for (const int delay : delays) {
        runs.push_back(forecast_test::plan(configOf(delay, 9, 1000, backend)));
        runs.back().totalSteps = 1000;
    }
    return runs;
}

PlanTime timeOf(const std::vector<CheckedExperiment>& planned, const std::vector<storage::RunRow>& rows,
                const std::vector<ForecastCase>& cases = {}) {
    return planTime(planned, EarlierSteps(rows), cases);
}

TEST(PlanTime, IsThatOfRunsOfTheSameSettingsWhateverTheirSeedAndLength) {
    const PlanTime time = timeOf(planOf({1, 2}), {rowOf("a", 1, 0.2), rowOf("b", 1, 0.4), rowOf("two", 2, 0.2)});
    EXPECT_NEAR(time.seconds, 6 + 4, 1e-9) << "the mean of the two, and the other";
    EXPECT_EQ(time.inWords(), "about 10 s");
    EXPECT_THAT(time.basis(),
                EndsWith("in 3 finished runs with these settings, with what they took to start and to evaluate"));
}

TEST(PlanTime, WhatIsKnownOfSomeRunsOnlySaysSo) {
    const PlanTime time = timeOf(planOf({1, 2, 2}), {rowOf("a", 1, 15)});
    EXPECT_EQ(time.inWords(), "5 min 00 s for 1 of 3 runs");
    EXPECT_THAT(time.basis(), EndsWith("the others have neither a measurement nor a forecast"));
}

TEST(PlanTime, NothingIsGuessed) {
    const PlanTime other = timeOf(planOf({1}), {rowOf("a", 2, 6)});
    EXPECT_EQ(other.inWords(), "not known");
    EXPECT_THAT(other.basis(), StartsWith("no finished run"));
    std::vector<CheckedExperiment> endless = planOf({1});
    endless[0].totalSteps = 0;
    EXPECT_EQ(timeOf(endless, {rowOf("a", 1, 6)}).known, 0U) << "how many steps is not known";
    storage::RunRow foreign = rowOf("a", 1, 6);
    foreign.origin = "ssh://elsewhere";
    EXPECT_EQ(timeOf(planOf({1}), {foreign}).known, 0U) << "another machine";
}

TEST(PlanTime, OfASimulatedClusterIsHowLongThisComputerSimulatedIt) {
    storage::RunRow row = rowOf("sim", 1, 0.1);
    row.timeSimulated = true;
    row.config = configOf(1, 1, 50, "virtual");
    row.startedAt = "2026-11-22T12:00:00Z";
    row.endedAt = "2026-11-22T12:00:02.500Z";
    row.steps = 60;
    row.resumedStep = 10;
    EXPECT_NEAR(timeOf(planOf({1, 1}, "virtual"), {row}).seconds, 2 * 1000 * 2.5 / 50, 1e-9) << "50 steps are its own";
    row.endedAt.clear();
    EXPECT_EQ(timeOf(planOf({1}, "virtual"), {row}).known, 0U) << "its end is not known";
}

// Steps of 30 ms of runs 0 and 2; none of run 3, which has no formula.
std::vector<ForecastCase> forecasts() {
    ForecastCase slow, unknown;
    slow.runs = {0, 2};
    slow.round = *forecastRound({.period = 1, .delay = 0, .compute = 0.02, .exchange = {.first = 0.01}});
    unknown.runs = {3};
    unknown.why = "no formula";
    return {slow, unknown};
}

TEST(PlanTime, WhatNoRunHasMeasuredIsForecast) {
    const PlanTime time = timeOf(planOf({1, 2, 3, 4}), {rowOf("a", 1, 0.3)}, forecasts());
    EXPECT_EQ(time.known, 2U);
    EXPECT_EQ(time.forecast, 1U) << "what was measured goes first";
    EXPECT_NEAR(time.seconds, 6 + 30, 1e-9);
    ASSERT_EQ(time.each.size(), 4U);
    EXPECT_NEAR(time.each[0].value_or(0), 6, 1e-9);
    EXPECT_FALSE(time.each[1]);
    EXPECT_NEAR(time.each[2].value_or(0), 30, 1e-9);
    EXPECT_THAT(time.basis(), HasSubstr("; for 1 run in the forecast, which counts no starting and evaluating"));
    EXPECT_NEAR(time.secondsOf(forecasts()[0]).value_or(0), 36, 1e-9);
    EXPECT_FALSE(time.secondsOf(forecasts()[1])) << "of a part of its runs it would be too short";
    ForecastCase beyond;
    beyond.runs = {0, 7};
    EXPECT_FALSE(time.secondsOf(beyond)) << "run 7 was not looked at";
}

TEST(PlanTime, OfASimulatedClusterItSaysWhyNothingIsKnown) {
    const PlanTime time = timeOf(planOf({1, 1}, "virtual"), {}, forecasts());
    EXPECT_EQ(time.inWords(), "not known") << "the times of a simulated cluster are not those of simulating it";
    EXPECT_THAT(time.basis(), HasSubstr("simulated"));
    EXPECT_THAT(time.basis(), Not(HasSubstr("no forecast"))) << "there is one, of other times";
}

TEST(PlanTime, WithoutAnyRunTheForecastIsAllThereIs) {
    const PlanTime time = timeOf(planOf({1}), {}, forecasts());
    EXPECT_EQ(time.inWords(), "about 30 s");
    EXPECT_THAT(time.basis(), EndsWith("in the forecast, which counts no starting and evaluating"));
}

TEST(PlanTime, OfManyRunsTheFirstAreLookedAtAndItSaysHowMany) {
    const std::vector<CheckedExperiment> many(5000, planOf({1})[0]);
    const PlanTime time = timeOf(many, {rowOf("a", 1, 6)});
    EXPECT_EQ(time.looked, 100U);
    EXPECT_THAT(time.inWords(), EndsWith("for 100 of 5000 runs"));
    EXPECT_THAT(time.basis(), EndsWith("looked at the first 100 runs"));
}

}  // namespace
}  // namespace dasgd::experiments
