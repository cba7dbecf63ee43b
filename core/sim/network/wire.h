// The simulated network in flight: messages between hosts, and callbacks at an instant. Everything here runs in
// SimGrid's own context (VirtualWorld sees to that), so callbacks may start new messages and must not wait.
//
// Where hosts and links may fail: what is on its way to or from a host that fails stands still, and goes on when the
// host is back; a link that fails loses what is on it, which is sent again from the start.
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
    // One in a process. `hosts`: of each rank. `mayFail`: hosts and links may.
    explicit Wire(std::vector<simgrid::s4u::Host*> hosts, bool mayFail = false);
    ~Wire();
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    // Calls `arrived` when the last byte is there. 0 bytes take the latency.
    void send(int from, int to, std::int64_t bytes, Callback arrived);
    // The same for traffic of others, which takes no notice of faults.
    void sendAside(int from, int to, std::int64_t bytes, Callback arrived);

    // Calls `ring` in `seconds` of simulated time; in the present instant where that is 0.
    void ringIn(double seconds, Callback ring);
    // The same for what a host computes, which rests while it is out.
    void computeIn(int rank, double seconds, Callback ring);
    // For a message or a collective of all ranks that takes a formula's time, and rests while somebody in it is out.
    void passIn(int from, int to, double seconds, Callback ring);
    void passAllIn(double seconds, Callback ring);

    // A host or a link fails, or comes back.
    void change(const FaultEvent& fault);

    // Between neighbours of the ring of these ranks: the longest latency and the narrowest link; `reduceSecondsPerByte`
    // is handed through.
    [[nodiscard]] LinkCost worstNeighbourLink(const std::vector<int>& ranks, double reduceSecondsPerByte) const;
    // Of each of these ranks sending at once to another, by their places in `ranks`: the longest latency, and how long
    // a byte of each message takes where they share a link with the most others for its bandwidth.
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
    int outs_ = 0;                             // hosts and links that are out
    std::map<std::uint64_t, Flight> flights_;  // where something may fail; in the order in which they were sent
    std::uint64_t sent_ = 0;
};

}  // namespace dasgd
