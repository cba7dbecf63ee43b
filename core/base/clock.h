// Time as an algorithm sees it: real on a cluster, simulated on the virtual one.
#pragma once

#include <cstdint>

namespace dasgd {

using Ns = std::int64_t;  // nanoseconds; instants count from the run's start

class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Ns now() const = 0;
    // Returns at `instant` or at once when it has passed. Real clocks block the thread, virtual ones the actor.
    virtual void sleepUntil(Ns instant) = 0;
};

// CLOCK_MONOTONIC less an origin. Processes of one host that share the origin share the time line.
// now() is answered by the vDSO: no system call.
class MonotonicClock final : public Clock {
public:
    explicit MonotonicClock(Ns origin = rawNow()) : origin_(origin) {}
    [[nodiscard]] static Ns rawNow();
    [[nodiscard]] Ns now() const override { return rawNow() - origin_; }
    void sleepUntil(Ns instant) override;
    [[nodiscard]] Ns origin() const { return origin_; }
    // Moves the time line. Only while no other thread reads the clock.
    void setOrigin(Ns origin) { origin_ = origin; }

private:
    Ns origin_;
};

}  // namespace dasgd
