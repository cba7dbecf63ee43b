#include "core/base/clock.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

TEST(MonotonicClockTest, CountsFromItsOrigin) {
    const Ns origin = MonotonicClock::rawNow() - 5'000'000'000;
    const MonotonicClock clock(origin);
    EXPECT_EQ(clock.origin(), origin);
    EXPECT_GE(clock.now(), 5'000'000'000);
    EXPECT_LT(clock.now(), 35'000'000'000);
}

TEST(MonotonicClockTest, OneOriginIsOneTimeLine) {
    const Ns origin = MonotonicClock::rawNow();
    const MonotonicClock one(origin);
    const MonotonicClock other(origin);
    for (int i = 0; i < 1000; ++i) {
        const Ns before = one.now();
        const Ns between = other.now();
        ASSERT_LE(before, between);
        ASSERT_LE(between, one.now());
    }
}

TEST(MonotonicClockTest, SleepsUntilTheInstantAndNotForThePast) {
    MonotonicClock clock;
    const Ns wake = clock.now() + 20'000'000;
    clock.sleepUntil(wake);
    EXPECT_GE(clock.now(), wake);
    const Ns before = clock.now();
    clock.sleepUntil(before - 10'000'000'000);
    EXPECT_LT(clock.now() - before, 5'000'000'000);
}

}  // namespace
}  // namespace dasgd
