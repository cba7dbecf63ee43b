#include "core/comm/stream/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace dasgd::test {
namespace {

using std::chrono::microseconds;

void awaitAtLeast(const std::atomic<int>& count, int least) {
    while (count < least) std::this_thread::sleep_for(microseconds(100));
}

TEST(Watchdog, LooksAfterEverythingUntilItIsRemoved) {
    std::atomic<int> first = 0, second = 0;
    Watchdog watchdog(microseconds(100));
    const int one = watchdog.add([&] { ++first; });
    const int two = watchdog.add([&] { ++second; });
    awaitAtLeast(first, 3);
    watchdog.remove(one);
    const int before = first;
    awaitAtLeast(second, second + 3);
    EXPECT_EQ(first, before) << "no call was under way, and none came";
    watchdog.remove(two);
}

TEST(Watchdog, WhatItLooksAfterMayGoOnceItIsRemoved) {
    Watchdog watchdog(microseconds(10));
    std::atomic<int> looksAfterRemoval = 0;
    for (int i = 0; i < 200; ++i) {
        std::atomic<bool> removed = false;
        std::optional<std::atomic<int>> looked(std::in_place, 0);
        const int look = watchdog.add([&] {
            ++*looked;
            if (removed) ++looksAfterRemoval;
        });
        if (i % 10 == 0) awaitAtLeast(*looked, 1);
        watchdog.remove(look);
        removed = true;
        looked.reset();
    }
    EXPECT_EQ(looksAfterRemoval, 0);
}

}  // namespace
}  // namespace dasgd::test
