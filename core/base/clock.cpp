#include "core/base/clock.h"

#include <cerrno>
#include <ctime>

namespace dasgd {

namespace {
constexpr Ns kSecond = 1'000'000'000;
}

Ns MonotonicClock::rawNow() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * kSecond + t.tv_nsec;
}

void MonotonicClock::sleepUntil(Ns instant) {
    const Ns raw = instant + origin_;
    const timespec t{.tv_sec = raw / kSecond, .tv_nsec = raw % kSecond};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
    }
}

}  // namespace dasgd
