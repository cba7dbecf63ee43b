// Hosts and links that fail, as the simulation goes on: who is out now. Runs in SimGrid's own context.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/sim/faults/faults.h"

namespace simgrid::kernel::timer {
class Timer;
}

namespace dasgd {

class Outages {
public:
    using Changed = std::function<void(const FaultEvent&)>;
    // `changed` is called at every failure and every end of one, once start() was called.
    Outages(const FaultParams& params, int ranks, Changed changed);
    Outages(const Outages&) = delete;
    Outages& operator=(const Outages&) = delete;

    void start();
    // No more of it: what is out stays so.
    void stop();

    // When the host of `rank` computes.
    [[nodiscard]] OutageCalendar& host(int rank) { return hosts_[static_cast<std::size_t>(rank)].calendar; }
    // "its host failed at 0.5 s", and its link, where they are out now; "" otherwise.
    [[nodiscard]] std::string describe(int rank) const;

private:
    struct Part {
        OutageCalendar calendar;
        FaultEvent event;  // the last one
        Outage now;        // where it is out
        simgrid::kernel::timer::Timer* timer = nullptr;
    };
    void await(Part& part);
    void fail(Part& part, const Outage& outage);

    std::vector<Part> hosts_, links_;
    Changed changed_;
};

}  // namespace dasgd
