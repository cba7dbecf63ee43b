#include <gtest/gtest.h>

#include "tests/support/sim/schedules.h"

namespace dasgd::test {
namespace {

TEST(ExtraSchedule, FallsToNothing) {
    const auto schedule = createSchedule("extra_schedule");
    EXPECT_EQ(schedule->factor({0, 10}), 1);
    EXPECT_EQ(schedule->factor({5, 10}), 0.5);
}

}  // namespace
}  // namespace dasgd::test
