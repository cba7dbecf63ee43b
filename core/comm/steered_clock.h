// The time line of a rank whose host has a clock other than rank 0's.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "core/base/clock.h"

namespace dasgd {

// CLOCK_MONOTONIC less an origin that follows corrections slowly: by at most 1 ms a second, so that time never goes
// back and no interval is wrong by more than a thousandth. now() and sleepUntil() may be called from any thread, while
// another steers; now() makes no system call and takes no lock.
class SteeredClock final : public Clock {
public:
    explicit SteeredClock(Ns origin = MonotonicClock::rawNow());
    [[nodiscard]] Ns now() const override { return timeAt(MonotonicClock::rawNow()); }
    void sleepUntil(Ns instant) override;

    // The time line's origin at present.
    [[nodiscard]] Ns origin() const;
    // Sets the origin at once. Only while no other thread reads the clock.
    void setOrigin(Ns origin) { follow(origin, 0); }
    // Begins to move the origin to `origin`, 20 ms from now.
    void steer(Ns origin) { follow(origin, kSlew); }

private:
    // Nanoseconds over which one nanosecond of correction is spread.
    static constexpr Ns kSlew = 1000;
    // Delay before a correction begins: by then every reader knows of it, so that no two of them disagree.
    static constexpr Ns kLead = 20'000'000;

    // Course of the origin from one correction to the next.
    struct Course {
        Ns since = 0;  // raw time
        Ns from = 0;
        Ns to = 0;
        Ns slew = 0;
        const Course* before = nullptr;
        [[nodiscard]] Ns originAt(Ns raw) const {
            if (raw < since && before) return before->originAt(raw);
            if (slew == 0) return to;
            const Ns moved = (raw - since) / slew;
            if (to > from) return from + moved < to ? from + moved : to;
            return from - moved > to ? from - moved : to;
        }
    };
    [[nodiscard]] Ns timeAt(Ns raw) const { return raw - course_.load(std::memory_order_acquire)->originAt(raw); }
    void follow(Ns origin, Ns slew);

    std::mutex mutex_;
    std::deque<Course> courses_;  // all of them: a reader may still hold an old one
    std::atomic<const Course*> course_;
};

}  // namespace dasgd
