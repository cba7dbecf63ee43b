#include "core/comm/steered_clock.h"

namespace dasgd {

SteeredClock::SteeredClock(Ns origin) { setOrigin(origin); }

Ns SteeredClock::origin() const { return course_.load()->originAt(MonotonicClock::rawNow()); }

void SteeredClock::follow(Ns origin, Ns slew) {
    const std::lock_guard lock(mutex_);
    const Course* const before = slew == 0 ? nullptr : course_.load();
    const Ns since = MonotonicClock::rawNow() + (slew == 0 ? 0 : kLead);
    const Ns from = before ? before->originAt(since) : origin;
    courses_.push_back({.since = since, .from = from, .to = origin, .slew = slew, .before = before});
    course_.store(&courses_.back(), std::memory_order_release);
}

// Sleeps again until the instant has come, as the origin may move meanwhile.
void SteeredClock::sleepUntil(Ns instant) {
    while (now() < instant) MonotonicClock(origin()).sleepUntil(instant);
}

}  // namespace dasgd
