#include "core/schedules/schedule.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/document.h"
#include "tests/support/sim/schedules.h"

namespace dasgd {
namespace {

using test::createSchedule;
using test::number;
using test::table;

TEST(CosineScheduleTest, FallsFromOneToTheFinalFactor) {
    const auto schedule = createSchedule("cosine", table({{"final_factor", number(0.2)}}));
    EXPECT_EQ(schedule->factor({0, 100}), 1);
    EXPECT_NEAR(schedule->factor({50, 100}), 0.6, 1e-15);
    EXPECT_NEAR(schedule->factor({25, 100}), 0.2 + 0.4 * (1 + std::numbers::sqrt2 / 2), 1e-15);
    const double last = schedule->factor({99, 100});
    EXPECT_GT(last, 0.2);
    EXPECT_LT(last, 0.2003);
}

}  // namespace
}  // namespace dasgd
