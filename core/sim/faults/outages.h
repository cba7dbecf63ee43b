// Failures of hosts and links as the simulation goes on: which are out now. Runs in SimGrid's own context.
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
    // `changed` is called at every failure and at every end of one, once start() was called.
    Outages(const FaultParams& params, int ranks, Changed changed);
    Outages(const Outages&) = delete;
    Outages& operator=(const Outages&) = delete;

    void start();
    // Stops further failures: hosts and links that are out stay so.
    void stop();

    // Calendar of the outages of `rank`'s host.
    [[nodiscard]] OutageCalendar& host(int rank) { return hosts_[static_cast<std::size_t>(rank)].calendar; }
    // Text for errors: "its host failed at 0.5 s", and its link, where they are out now; "" otherwise.
    [[nodiscard]] std::string describe(int rank) const;

private:
    struct Part {
        OutageCalendar calendar;
        FaultEvent event;  // its last one
        Outage now;        // its present outage, where it is out
        simgrid::kernel::timer::Timer* timer = nullptr;
    };
    void await(Part& part);
    void fail(Part& part, const Outage& outage);

    std::vector<Part> hosts_, links_;
    Changed changed_;
};

}  // namespace dasgd
