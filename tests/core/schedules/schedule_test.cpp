#include "core/schedules/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/document.h"

namespace dasgd {
namespace {

using test::array;
using test::integer;
using test::number;
using test::table;

std::unique_ptr<Schedule> create(const std::string& name, const Value& fields = {}) {
    return std::move(ScheduleRegistry::find(name)->create(fields, {}).value());
}

TEST(ConstantScheduleTest, IsOne) {
    const auto schedule = create("constant");
    EXPECT_EQ(schedule->factor(0, 1), 1);
    EXPECT_EQ(schedule->factor(99, 100), 1);
}

TEST(StepScheduleTest, DropsExactlyAtEachMilestone) {
    const auto schedule = create("step", table({{"milestones", array<double>({0.5, 0.75})}, {"gamma", number(0.25)}}));
    EXPECT_EQ(schedule->factor(0, 100), 1);
    EXPECT_EQ(schedule->factor(49, 100), 1);
    EXPECT_EQ(schedule->factor(50, 100), 0.25);
    EXPECT_EQ(schedule->factor(74, 100), 0.25);
    EXPECT_EQ(schedule->factor(75, 100), 0.0625);
    EXPECT_EQ(schedule->factor(99, 100), 0.0625);
}

TEST(CosineScheduleTest, FallsFromOneToTheFinalFactor) {
    const auto schedule = create("cosine", table({{"final_factor", number(0.2)}}));
    EXPECT_EQ(schedule->factor(0, 100), 1);
    EXPECT_NEAR(schedule->factor(50, 100), 0.6, 1e-15);
    EXPECT_NEAR(schedule->factor(25, 100), 0.2 + 0.4 * (1 + std::numbers::sqrt2 / 2), 1e-15);
    const double last = schedule->factor(99, 100);
    EXPECT_GT(last, 0.2);
    EXPECT_LT(last, 0.2003);
}

// algorithms.md A2: 1e-4 → 1e-2 over the first quarter, then back to 1e-4.
TEST(OneCycleScheduleTest, RisesToThePeakAndFallsBack) {
    const auto schedule = create("one-cycle");
    EXPECT_DOUBLE_EQ(schedule->factor(0, 400), 0.01);
    EXPECT_DOUBLE_EQ(schedule->factor(50, 400), 0.505);
    EXPECT_DOUBLE_EQ(schedule->factor(100, 400), 1);
    EXPECT_DOUBLE_EQ(schedule->factor(250, 400), 0.505);
    EXPECT_NEAR(schedule->factor(399, 400), 0.01 + 0.99 / 300, 1e-12);
    EXPECT_LT(schedule->factor(99, 400), 1);
    EXPECT_LT(schedule->factor(101, 400), 1);
}

TEST(OneCycleScheduleTest, PeakMayLieAtEitherEnd) {
    const auto early = create("one-cycle", table({{"peak_at", number(0)}, {"final_factor", number(0.5)}}));
    EXPECT_EQ(early->factor(0, 10), 1);
    EXPECT_DOUBLE_EQ(early->factor(5, 10), 0.75);
    const auto late = create("one-cycle", table({{"peak_at", number(1)}, {"start_factor", number(0.5)}}));
    EXPECT_EQ(late->factor(0, 10), 0.5);
    EXPECT_DOUBLE_EQ(late->factor(5, 10), 0.75);
}

class WarmupTest : public testing::TestWithParam<const char*> {};

// Linear from warmup_factor; from its last step on, the schedule is the one without warm-up.
TEST_P(WarmupTest, RampsAndThenLeavesTheScheduleAlone) {
    const auto warm = create(GetParam(), table({{"warmup_steps", integer(10)}, {"warmup_factor", number(0.2)}}));
    const auto plain = create(GetParam());
    EXPECT_DOUBLE_EQ(warm->factor(0, 100), 0.2 * plain->factor(0, 100));
    EXPECT_DOUBLE_EQ(warm->factor(5, 100), 0.6 * plain->factor(5, 100));
    EXPECT_LT(warm->factor(9, 100), plain->factor(9, 100));
    for (int k = 10; k < 100; ++k) EXPECT_EQ(warm->factor(k, 100), plain->factor(k, 100)) << "step " << k;
}

INSTANTIATE_TEST_SUITE_P(All, WarmupTest, testing::Values("constant", "step", "cosine", "one-cycle"),
                         [](const auto& parameters) {
                             std::string name = parameters.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(ScheduleTest, RunsOfOneStepWork) {
    for (const std::string& name : ScheduleRegistry::names()) {
        EXPECT_TRUE(std::isfinite(create(name)->factor(0, 1))) << name;
    }
}

}  // namespace
}  // namespace dasgd
