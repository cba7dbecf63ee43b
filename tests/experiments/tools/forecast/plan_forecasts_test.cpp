#include "experiments/tools/forecast/plan_forecasts.h"

#include <gmock/gmock.h>

#include "experiments/tools/forecast/forecast_cases.h"
#include "tests/experiments/tools/forecast/planned_runs.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using namespace forecast_test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// On a simulated cluster, whose text says all times.
const std::string kKnown = replaced(config(3, "lenet", ""), "\"gloo\"", "\"virtual\"") +
                           "[network]\nname = \"star\"\nbandwidth = \"100Mbps\"\nlatency = \"1ms\"\n"
                           "collective = \"ring\"\n[compute]\nstep_time = \"5ms\"\n";

TEST(PlanForecasts, AFolderWithoutRunsHasMeasuredNothing) {
    const test::TempDir folder;
    const PlanForecast forecast = forecastPlan({plan(kKnown), plan(config(3))}, folder / "none");
    ASSERT_EQ(forecast.cases.size(), 2U);
    ASSERT_TRUE(forecast.cases[0].known()) << forecast.cases[0].why;
    EXPECT_NEAR(forecast.cases[0].round->blocked, kAverage - 3 * 0.005, 1e-9);
    EXPECT_THAT(forecast.cases[1].why, HasSubstr("No run has timed this step yet"));
    EXPECT_EQ(forecast.first, 0);
    EXPECT_EQ(forecast.takes, "not known");
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(PlanForecasts, ProbesThatCannotBeReadAreLeftOut) {
    test::OneRun run(2);
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    storage::RunRow probe = test::rowOf(run);
    probe.algorithm = "probe";
    probe.config = config(3);
    EXPECT_TRUE(knownCalibrations(reader, {probe}, {plan(config(3))}, "").empty()) << "it has no spans";
    EXPECT_TRUE(knownCalibrations(reader, {probe}, {plan(kKnown)}, "").empty()) << "nothing was asked for";
}

// Steps of 10 ms, of which the backward pass is 6 ms and the wait 2 ms; every fifth takes 50 ms more.
void recordSteps(test::OneRun& run, int count) {
    constexpr Ns kMs = 1'000'000;
    Ns at = 0;
    for (std::int64_t step = 1; step <= count; ++step) {
        const Ns forward = (step % 5 == 0 ? 52 : 2) * kMs;
        run.rank(0).span({.kind = SpanKind::Forward, .step = step, .start = at, .end = at + forward});
        at += forward;
        run.rank(0).span({.kind = SpanKind::Backward, .step = step, .start = at, .end = at + 6 * kMs});
        at += 6 * kMs;
        run.rank(0).span({.kind = SpanKind::Wait, .step = step, .start = at, .end = at + 2 * kMs});
        at += 2 * kMs;
    }
}

TEST(PlanForecasts, TheStepsOfARunOfTheSameSettingsAreTheirMedianWithoutWaits) {
    test::OneRun run;
    recordSteps(run, 40);
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    storage::RunRow row = test::rowOf(run);
    row.config = config(3);
    row.steps = 40;
    row.wallS = 1;
    const std::vector<storage::RunRow> rows{row};
    const std::vector<OwnSteps> own = ownSteps(reader.spans(), EarlierSteps(rows), {plan(config(3)), plan(config(1))});
    ASSERT_EQ(own.size(), 1U) << "no run has the other delay";
    EXPECT_NEAR(own[0].stepSeconds, 0.008, 1e-9);
    EXPECT_NEAR(own[0].backwardShare, 0.75, 1e-9);
    EXPECT_EQ(own[0].steps, 36) << "without the first three, and the last, which has no end";
    EXPECT_EQ(own[0].run, run.runId);
    const ForecastSources sources{.own = own, .algorithms = algorithms(), .now = kNow};
    const std::vector<ForecastCase> cases = forecastCases({plan(config(3))}, sources);
    ASSERT_TRUE(cases[0].known()) << cases[0].why;
    EXPECT_NEAR(cases[0].round->input.compute, 0.008, 1e-9);
    EXPECT_THAT(cases[0].words, HasSubstr("T_c 8.00 ms from " + cases[0].computeFrom + "."));
}

TEST(PlanForecasts, ARunWithoutSpansSaysNothingOfItsSteps) {
    test::OneRun run;
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    storage::RunRow row = test::rowOf(run);
    row.config = config(3);
    row.steps = 40;
    row.wallS = 1;
    const std::vector<storage::RunRow> rows{row};
    EXPECT_TRUE(ownSteps(reader.spans(), EarlierSteps(rows), {plan(config(3))}).empty());
}

TEST(PlanForecasts, TheTextHasEachCaseItsSourcesAndWhyThereIsNone) {
    const test::TempDir folder;
    const std::string text = forecastText(forecastPlan({plan(kKnown), plan(config(3))}, folder / "none"));
    EXPECT_THAT(text, AllOf(HasSubstr("7.00 ms per round will not hide; d ≥ 5 would."),
                            HasSubstr("No run has timed this step yet"),
                            HasSubstr("# T_c from compute.step_time of this text."),
                            HasSubstr("# All runs one after the other: not known (the cluster's times are simulated")));
    EXPECT_THAT(text, Not(HasSubstr("\n\n"))) << "every line is a comment of TOML";
}

}  // namespace
}  // namespace dasgd::experiments
