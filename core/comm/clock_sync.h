// One time line for several hosts: each rank estimates how far its clock is from rank 0's, as NTP does (RFC 5905,
// section 8): it asks rank 0 for the time and takes the answer of the quickest round trip.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/base/named_spans.h"
#include "core/comm/communicator.h"
#include "core/comm/steered_clock.h"

namespace dasgd {

struct RankClockOffset {
    Ns offset = 0;  // to add to this rank's time to have rank 0's
    Ns error = 0;   // bound: half of the quickest round trip
};

// Collective over all ranks; every rank but 0 makes `rounds` round trips, one rank after the other. Throws CommError.
[[nodiscard]] RankClockOffset estimateClockOffset(Communicator& comm, const Clock& clock, int rounds = 16);

// Keeps this rank's clock on rank 0's time line while it trains: measures again every few seconds and steers the clock.
// Clocks of two hosts drift apart by some 10 µs a second.
//
// The training thread takes no part. Rank 0 answers on the thread on which a question arrives; each other rank asks
// from a thread of its own, over a group of its own. A measurement that fails (a peer is gone) is the last; the
// training's own communication will report it.
class ClockKeeper {
public:
    // Collective over all ranks of `comm`: splits a group off. `clock` is null where the rank's clock is rank 0's own,
    // and otherwise outlives it. Throws CommError.
    ClockKeeper(Communicator& comm, const Clock& reference, SteeredClock* clock, std::chrono::milliseconds every);
    ~ClockKeeper();
    ClockKeeper(const ClockKeeper&) = delete;
    ClockKeeper& operator=(const ClockKeeper&) = delete;

    // The bound of the time line's error by the newest measurement: half of its quickest round trip, and all that it
    // corrected, which holds for what was recorded since the one before. 0 before the first.
    [[nodiscard]] Ns error() const;
    // Measurements so far.
    [[nodiscard]] std::uint64_t measurements() const;

    class Impl;

private:
    std::unique_ptr<Impl> impl_;
};

struct Alignment {
    Ns error = 0;                         // bound of the time line's error at the start
    std::unique_ptr<ClockKeeper> keeper;  // null where all ranks share rank 0's clock
};
// Moves this rank's clock onto rank 0's time line, and keeps it there. Collective over all ranks; call with nothing in
// flight. `isOwn`: the clock is rank 0's own, as on its host, and stays as it is. Throws CommError.
[[nodiscard]] Alignment alignClock(Communicator& comm, SteeredClock& clock, bool isOwn,
                                   std::chrono::milliseconds every = std::chrono::seconds(4));

// Hands events on, and records `clock/error_s` with the first event after each measurement: a rank's events have one
// writer, its training thread. `sink` and `clock` outlive it.
class ClockErrorSink final : public EventSink, public NamedSpanSink {
public:
    ClockErrorSink(EventSink& sink, const Clock& clock) : sink_(sink), clock_(clock) {}
    // Sets the keeper whose measurements are recorded; null for none.
    void watch(const ClockKeeper* keeper) { keeper_ = keeper; }

    void span(const Span& span) override;
    // Passes the span on; without its name where the sink takes no names.
    void namedSpan(const Span& span, std::string_view name) override;
    void metric(const Metric& metric) override;
    void state(RankState state, std::int64_t step, std::string_view text) override;

private:
    void recordNew();

    EventSink& sink_;
    const Clock& clock_;
    const ClockKeeper* keeper_ = nullptr;
    std::uint64_t recorded_ = 0;
};

}  // namespace dasgd
