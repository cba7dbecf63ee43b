#include "core/comm/steered_clock.h"

namespace dasgd {

SteeredClock::SteeredClock(Ns origin) { setOrigin(origin); }

Ns SteeredClock::origin() const { return course_.load()->originAt(MonotonicClock::rawNow()); }

void SteeredClock::follow(Ns origin, Ns slew) {
    const std::lock_guard lock(mutex_);
    const Ns raw = MonotonicClock::rawNow();
    const Ns from = courses_.empty() ? origin : courses_.back().originAt(raw);
    courses_.push_back({.since = raw, .from = from, .to = origin, .slew = slew});
    course_.store(&courses_.back(), std::memory_order_release);
}

// The origin may move meanwhile.
void SteeredClock::sleepUntil(Ns instant) {
    while (now() < instant) MonotonicClock(origin()).sleepUntil(instant);
}

}  // namespace dasgd
