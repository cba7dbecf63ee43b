#include "core/schedules/schedule.h"

#include <gtest/gtest.h>

#include "tests/support/sim/schedules.h"

namespace dasgd {
namespace {

using test::createSchedule;

TEST(ConstantScheduleTest, IsOne) {
    const auto schedule = createSchedule("constant");
    EXPECT_EQ(schedule->factor({0, 1}), 1);
    EXPECT_EQ(schedule->factor({99, 100}), 1);
}

}  // namespace
}  // namespace dasgd
