#include "core/comm/clock_sync.h"

#include <torch/types.h>

#include <limits>

namespace dasgd {

namespace {

constexpr int kTag = 771;

Ns receiveTime(Communicator& comm, Rank from) {
    at::Tensor time = torch::zeros({1}, torch::kInt64);
    Pending pending = comm.receive(time, from, kTag);
    pending.wait();
    return time.item<std::int64_t>();
}

void sendTime(Communicator& comm, Rank to, Ns now) {
    Pending pending = comm.send(torch::full({1}, now, torch::kInt64), to, kTag);
    pending.wait();
}

ClockOffset askRankZero(Communicator& comm, const Clock& clock, int rounds) {
    ClockOffset best{.offset = 0, .error = std::numeric_limits<Ns>::max()};
    for (int i = 0; i < rounds; ++i) {
        const Ns asked = clock.now();
        sendTime(comm, Rank{0}, asked);
        const Ns there = receiveTime(comm, Rank{0});
        const Ns answered = clock.now();
        const Ns error = (answered - asked + 1) / 2;
        if (error < best.error) best = {.offset = there - (asked + error), .error = error};
    }
    return best;
}

}  // namespace

ClockOffset estimateClockOffset(Communicator& comm, const Clock& clock, int rounds) {
    if (comm.rank() != Rank{0}) return askRankZero(comm, clock, rounds);
    for (int peer = 1; peer < comm.size(); ++peer) {
        for (int i = 0; i < rounds; ++i) {
            receiveTime(comm, Rank{peer});
            sendTime(comm, Rank{peer}, clock.now());
        }
    }
    return {};
}

ClockOffset alignClock(Communicator& comm, MonotonicClock& clock) {
    const ClockOffset found = estimateClockOffset(comm, clock);
    clock.setOrigin(clock.origin() - found.offset);
    return found;
}

}  // namespace dasgd
