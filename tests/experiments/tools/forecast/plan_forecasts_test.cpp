#include "experiments/tools/forecast/plan_forecasts.h"

#include <gmock/gmock.h>

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
