#include "core/comm/steered_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/units.h"

namespace dasgd {
namespace {

using test::kMs;

TEST(SteeredClock, JumpsBeforeTheStartAndFollowsSlowlyAfterwards) {
    const Ns raw = MonotonicClock::rawNow();
    SteeredClock clock(raw);
    clock.setOrigin(raw - 3600 * 1000 * kMs);
    EXPECT_GE(clock.now(), 3600 * 1000 * kMs);
    EXPECT_EQ(clock.origin(), raw - 3600 * 1000 * kMs);
    // Half a microsecond takes half a millisecond.
    clock.steer(raw - 3600 * 1000 * kMs + 500);
    while (clock.origin() != raw - 3600 * 1000 * kMs + 500) {
        EXPECT_GE(clock.origin(), raw - 3600 * 1000 * kMs);
        EXPECT_LE(clock.origin(), raw - 3600 * 1000 * kMs + 500);
    }
}

// An origin that is later by 50 ms would take time back by as much; and a second steering starts where the first is.
TEST(SteeredClock, NeverGoesBackNorFasterThanAThousandth) {
    SteeredClock clock;
    std::atomic<bool> over = false;
    std::thread steering([&] {
        for (int i = 0; i < 200; ++i) {
            clock.steer(clock.origin() + (i % 2 == 0 ? 50 : -70) * kMs);
            clock.sleepUntil(clock.now() + kMs / 10);
        }
        over = true;
    });
    Ns rawBefore = MonotonicClock::rawNow(), before = clock.now();
    while (!over) {
        const Ns now = clock.now(), raw = MonotonicClock::rawNow();
        ASSERT_GE(now, before);
        ASSERT_LE(now - before, (raw - rawBefore) + (raw - rawBefore) / 1000 + 1000) << "the clock is read in between";
        rawBefore = MonotonicClock::rawNow();
        before = clock.now();
        ASSERT_GE(before, now);
    }
    steering.join();
}

TEST(SteeredClock, SleepsOnItsOwnTimeLine) {
    SteeredClock clock;
    clock.steer(clock.origin() + 20 * kMs);
    const Ns until = clock.now() + 5 * kMs;
    clock.sleepUntil(until);
    EXPECT_GE(clock.now(), until);
}

}  // namespace
}  // namespace dasgd
