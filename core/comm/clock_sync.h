// One time line for several hosts: each rank estimates how far its clock is from rank 0's, as NTP does (RFC 5905,
// section 8): it asks rank 0 for the time and takes the answer of the quickest round trip.
#pragma once

#include "core/base/clock.h"
#include "core/comm/communicator.h"

namespace dasgd {

struct ClockOffset {
    Ns offset = 0;  // to add to this rank's time to have rank 0's
    Ns error = 0;   // bound: half of the quickest round trip
};

// Collective over all ranks; every rank but 0 makes `rounds` round trips, one rank after the other. Throws CommError.
[[nodiscard]] ClockOffset estimateClockOffset(Communicator& comm, const Clock& clock, int rounds = 16);

// Moves this rank's clock onto rank 0's time line. Call with nothing in flight.
ClockOffset alignClock(Communicator& comm, MonotonicClock& clock);

}  // namespace dasgd
