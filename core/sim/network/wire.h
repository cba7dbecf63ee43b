// The simulated network in flight: messages between hosts, and callbacks at an instant. Everything here runs in
// SimGrid's own context (VirtualWorld sees to that), so callbacks may start new messages and must not wait.
//
// Where hosts and links may fail: a message to or from a host that fails stops, and continues when the host is back; a
// link that fails loses the messages on it, which are sent again from the start.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/cost/cost.h"
#include "core/sim/faults/faults.h"

namespace simgrid::s4u {
class Host;
}

namespace dasgd {

class Wire {
public:
    using Callback = std::function<void()>;
    // One in a process. `hosts`: one for each rank. `mayFail`: hosts and links may fail.
    explicit Wire(std::vector<simgrid::s4u::Host*> hosts, bool mayFail = false);
    ~Wire();
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    // Sends a message; calls `arrived` when the last byte is there. 0 bytes take the latency.
    void send(int from, int to, std::int64_t bytes, Callback arrived);
    // Sends background traffic, which ignores faults.
    void sendBackground(int from, int to, std::int64_t bytes, Callback arrived);

    // Calls `ring` in `seconds` of simulated time; in the present instant where that is 0.
    void ringIn(double seconds, Callback ring);
    // Like ringIn(), for work of a host, which rests while the host is out.
    void computeIn(int rank, double seconds, Callback ring);
    // Like ringIn(), for a message or a collective of all ranks that takes a formula's time, and rests while a member
    // is out.
    void passIn(int from, int to, double seconds, Callback ring);
    void passAllIn(double seconds, Callback ring);

    // Called when a host or a link fails, or comes back.
    void change(const FaultEvent& fault);

    // Link cost between neighbours of the ring of these ranks: the longest latency and the narrowest link;
    // `reduceSecondsPerByte` becomes its ρ.
    [[nodiscard]] LinkCost worstNeighbourLink(const std::vector<int>& ranks, double reduceSecondsPerByte) const;
    // Link cost where each of these ranks sends at once to another, by their positions in `ranks`: the longest latency,
    // and the time of a byte of each message where they share a link with the most others for its bandwidth.
    [[nodiscard]] LinkCost worstOfAllWays(const std::vector<int>& ranks, const std::function<int(int from)>& peerOf,
                                          double reduceSecondsPerByte) const;
    [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

private:
    struct Flight;
    void enter(Flight flight);
    void depart(std::uint64_t number);
    void halt(Flight& flight, bool lost);
    void land(std::uint64_t number);
    [[nodiscard]] bool isHeldUp(const Flight& flight) const;

    struct Out {
        bool host = false, link = false;
    };
    std::vector<simgrid::s4u::Host*> hosts_;
    const bool mayFail_;
    std::vector<Out> out_;
    int outs_ = 0;                             // number of hosts and links that are out
    std::map<std::uint64_t, Flight> flights_;  // where something may fail: in the order in which they were sent
    std::uint64_t sent_ = 0;
};

}  // namespace dasgd
