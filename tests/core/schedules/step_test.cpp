#include "core/schedules/schedule.h"

#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/sim/schedules.h"

namespace dasgd {
namespace {

using test::array;
using test::createSchedule;
using test::number;
using test::table;

TEST(StepScheduleTest, DropsExactlyAtEachMilestone) {
    const auto schedule =
        createSchedule("step", table({{"milestones", array<double>({0.5, 0.75})}, {"gamma", number(0.25)}}));
    EXPECT_EQ(schedule->factor({0, 100}), 1);
    EXPECT_EQ(schedule->factor({49, 100}), 1);
    EXPECT_EQ(schedule->factor({50, 100}), 0.25);
    EXPECT_EQ(schedule->factor({74, 100}), 0.25);
    EXPECT_EQ(schedule->factor({75, 100}), 0.0625);
    EXPECT_EQ(schedule->factor({99, 100}), 0.0625);
}

}  // namespace
}  // namespace dasgd
