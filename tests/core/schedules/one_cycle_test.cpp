#include "core/schedules/schedule.h"

#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/sim/schedules.h"

namespace dasgd {
namespace {

using test::createSchedule;
using test::number;
using test::table;

// algorithms.md A2: 1e-4 → 1e-2 over the first quarter, then back to 1e-4.
TEST(OneCycleScheduleTest, RisesToThePeakAndFallsBack) {
    const auto schedule = createSchedule("one-cycle");
    EXPECT_DOUBLE_EQ(schedule->factor({0, 400}), 0.01);
    EXPECT_DOUBLE_EQ(schedule->factor({50, 400}), 0.505);
    EXPECT_DOUBLE_EQ(schedule->factor({100, 400}), 1);
    EXPECT_DOUBLE_EQ(schedule->factor({250, 400}), 0.505);
    EXPECT_NEAR(schedule->factor({399, 400}), 0.01 + 0.99 / 300, 1e-12);
    EXPECT_LT(schedule->factor({99, 400}), 1);
    EXPECT_LT(schedule->factor({101, 400}), 1);
}

TEST(OneCycleScheduleTest, PeakMayLieAtEitherEnd) {
    const auto early = createSchedule("one-cycle", table({{"peak_at", number(0)}, {"final_factor", number(0.5)}}));
    EXPECT_EQ(early->factor({0, 10}), 1);
    EXPECT_DOUBLE_EQ(early->factor({5, 10}), 0.75);
    const auto late = createSchedule("one-cycle", table({{"peak_at", number(1)}, {"start_factor", number(0.5)}}));
    EXPECT_EQ(late->factor({0, 10}), 0.5);
    EXPECT_DOUBLE_EQ(late->factor({5, 10}), 0.75);
}

}  // namespace
}  // namespace dasgd
