// Background traffic on the network: messages between random pairs of hosts, with exponential times between them. Runs
// in SimGrid's own context.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/sim/network/network.h"
#include "core/sim/network/wire.h"

namespace simgrid::kernel::timer {
class Timer;
}

namespace dasgd {

class Background {
public:
    // `wire` outlives it. No traffic where there is one host. `efficiency`: share of the links' bandwidth that messages
    // reach.
    Background(const BackgroundParams& params, double efficiency, Wire& wire);
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    void start();
    // Sends no more messages; those under way arrive.
    void stop();

    // Rate at which the busiest link is busy for `load` of the time on average, if the traffic were alone on the
    // network.
    [[nodiscard]] double messagesPerSecond() const { return messagesPerSecond_; }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

private:
    [[nodiscard]] double uniform();
    void awaitNext();
    void sendOne();

    Wire& wire_;
    const std::int64_t bytes_;
    double messagesPerSecond_ = 0;
    std::mt19937_64 bits_;
    std::uint64_t sent_ = 0;
    simgrid::kernel::timer::Timer* timer_ = nullptr;
};

}  // namespace dasgd
