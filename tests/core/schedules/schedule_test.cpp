#include "core/schedules/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/document.h"
#include "tests/support/sim/schedules.h"

namespace dasgd {
namespace {

using test::createSchedule;
using test::integer;
using test::number;
using test::table;

class WarmupTest : public testing::TestWithParam<std::string> {};

// Linear from warmup_factor; from its last step on, the schedule is the one without warm-up.
TEST_P(WarmupTest, RampsAndThenLeavesTheScheduleAlone) {
    const auto warm =
        createSchedule(GetParam(), table({{"warmup_steps", integer(10)}, {"warmup_factor", number(0.2)}}));
    const auto plain = createSchedule(GetParam());
    EXPECT_DOUBLE_EQ(warm->factor({0, 100}), 0.2 * plain->factor({0, 100}));
    EXPECT_DOUBLE_EQ(warm->factor({5, 100}), 0.6 * plain->factor({5, 100}));
    EXPECT_LT(warm->factor({9, 100}), plain->factor({9, 100}));
    for (int k = 10; k < 100; ++k) EXPECT_EQ(warm->factor({k, 100}), plain->factor({k, 100})) << "step " << k;
}

// 4 epochs of 2.5 steps are the same ten steps.
TEST_P(WarmupTest, MayBeGivenInEpochs) {
    const auto bySteps = createSchedule(GetParam(), table({{"warmup_steps", integer(10)}}));
    const auto byEpochs = createSchedule(GetParam(), table({{"warmup_epochs", number(4)}}));
    for (int k = 0; k < 20; ++k) {
        EXPECT_EQ(byEpochs->factor({k, 100, 2.5}), bySteps->factor({k, 100, 2.5})) << "step " << k;
    }
    const auto both = ScheduleRegistry::find(GetParam())
                          ->create(table({{"warmup_steps", integer(10)}, {"warmup_epochs", number(4)}}), {});
    ASSERT_FALSE(both);
    EXPECT_NE(both.error().message.find("keep one of them"), std::string::npos);
}

std::vector<std::string> schedulesWithWarmup() {
    std::vector<std::string> names = ScheduleRegistry::names();
    std::erase_if(names, [](const std::string& name) {
        const auto& fields = ScheduleRegistry::find(name)->fields;
        return std::ranges::find(fields, "warmup_steps", &FieldInfo::name) == fields.end();
    });
    return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, WarmupTest, testing::ValuesIn(schedulesWithWarmup()), [](const auto& parameters) {
    std::string name = parameters.param;
    std::erase(name, '-');
    return name;
});

TEST(ScheduleTest, MostHaveAWarmup) { EXPECT_GE(schedulesWithWarmup().size(), 4U); }

TEST(ScheduleTest, RunsOfOneStepWork) {
    for (const std::string& name : ScheduleRegistry::names()) {
        EXPECT_TRUE(std::isfinite(createSchedule(name)->factor({0, 1}))) << name;
    }
}

}  // namespace
}  // namespace dasgd
