// The simulated network in flight: messages between hosts, and a bell that rings at an instant. Everything here runs in
// SimGrid's own context (VirtualWorld sees to that), so callbacks may start new messages and must not wait.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/virtual/cost.h"

namespace simgrid::s4u {
class Host;
}

namespace dasgd {

class Wire {
public:
    // One in a process. `hosts`: of each rank.
    explicit Wire(std::vector<simgrid::s4u::Host*> hosts);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    // Calls `arrived` when the last byte is there. 0 bytes take the latency.
    void send(int from, int to, std::int64_t bytes, std::function<void()> arrived);
    // Calls `ring` in `seconds` of simulated time; in the present instant where that is 0.
    void ringIn(double seconds, std::function<void()> ring);

    // Between neighbouring ranks: the longest latency and the narrowest link; `reduceSecondsPerByte` is handed through.
    [[nodiscard]] LinkCost worstNeighbourLink(double reduceSecondsPerByte) const;

private:
    std::vector<simgrid::s4u::Host*> hosts_;
};

}  // namespace dasgd
