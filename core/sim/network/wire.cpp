#include "core/sim/network/wire.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace sg = simgrid::s4u;
using simgrid::kernel::timer::Timer;

namespace {

constexpr int kEverybody = -1;

// Keeps the activity alive until SimGrid reports its end.
struct Carried {
    sg::CommPtr comm;
    Wire::Callback arrived;
};

sg::CommPtr carry(sg::Host* from, sg::Host* to, std::int64_t bytes, Wire::Callback arrived) {
    auto comm = sg::Comm::sendto_init(from, to);
    comm->set_payload_size(static_cast<std::uint64_t>(bytes));
    auto carried = std::make_unique<Carried>(Carried{comm, std::move(arrived)});
    comm->set_data(carried.release());
    comm->vetoable_start();
    return comm;
}

void onEnd(const sg::Activity& activity) {
    const auto* comm = dynamic_cast<const sg::Comm*>(&activity);
    // A cancelled activity ends a second time, as failed, when SimGrid has done with it.
    if (!comm || comm->get_state() == sg::Activity::State::CANCELED) return;
    const std::unique_ptr<Carried> carried(comm->get_data<Carried>());
    if (carried && comm->get_state() == sg::Activity::State::FINISHED) carried->arrived();
}

}  // namespace

// Something that takes time between two ranks, on one, or among all.
struct Wire::Flight {
    int from = kEverybody, to = kEverybody;
    bool timed = false;  // a formula's time, or computing; otherwise a message
    double whole = 0;    // bytes, or seconds
    Callback arrived;
    double left = 0;   // bytes, or seconds, that were left when it last stopped
    double since = 0;  // instant at which it last departed
    Timer* timer = nullptr;
    sg::CommPtr comm;
    [[nodiscard]] bool isUnderWay() const { return timer != nullptr || comm != nullptr; }
    [[nodiscard]] bool touches(int rank) const { return from == kEverybody || from == rank || to == rank; }
};

Wire::Wire(std::vector<sg::Host*> hosts, bool mayFail)
    : hosts_(std::move(hosts)), mayFail_(mayFail), out_(hosts_.size()) {
    static bool listening = false;
    if (!std::exchange(listening, true)) sg::Activity::on_completion_cb(onEnd);
}

Wire::~Wire() = default;

void Wire::sendBackground(int from, int to, std::int64_t bytes, Callback arrived) {
    DASGD_CHECK(from != to);
    carry(hosts_[static_cast<std::size_t>(from)], hosts_[static_cast<std::size_t>(to)], bytes, std::move(arrived));
}

void Wire::send(int from, int to, std::int64_t bytes, Callback arrived) {
    if (!mayFail_) return sendBackground(from, to, bytes, std::move(arrived));
    enter({.from = from, .to = to, .whole = static_cast<double>(bytes), .arrived = std::move(arrived)});
}

void Wire::ringIn(double seconds, Callback ring) { Timer::set(sg::Engine::get_clock() + seconds, std::move(ring)); }

void Wire::computeIn(int rank, double seconds, Callback ring) { passIn(rank, rank, seconds, std::move(ring)); }

void Wire::passIn(int from, int to, double seconds, Callback ring) {
    if (!mayFail_) return ringIn(seconds, std::move(ring));
    enter({.from = from, .to = to, .timed = true, .whole = seconds, .arrived = std::move(ring)});
}

void Wire::passAllIn(double seconds, Callback ring) { passIn(kEverybody, kEverybody, seconds, std::move(ring)); }

void Wire::enter(Flight flight) {
    flight.left = flight.whole;
    const std::uint64_t number = ++sent_;
    const auto entered = flights_.emplace(number, std::move(flight)).first;
    if (!isHeldUp(entered->second)) depart(number);
}

void Wire::depart(std::uint64_t number) {
    Flight& flight = flights_.at(number);
    flight.since = sg::Engine::get_clock();
    const auto landed = [this, number] { land(number); };
    if (flight.timed) {
        flight.timer = Timer::set(flight.since + flight.left, landed);
        return;
    }
    flight.comm = carry(hosts_[static_cast<std::size_t>(flight.from)], hosts_[static_cast<std::size_t>(flight.to)],
                        static_cast<std::int64_t>(std::ceil(flight.left)), landed);
}

void Wire::land(std::uint64_t number) {
    const auto node = flights_.extract(number);
    node.mapped().arrived();
}

void Wire::halt(Flight& flight, bool lost) {
    if (flight.timer) {
        flight.left = std::max(0.0, flight.left - (sg::Engine::get_clock() - flight.since));
        std::exchange(flight.timer, nullptr)->remove();
    }
    if (flight.comm) {
        flight.left = flight.comm->get_remaining();
        std::exchange(flight.comm, nullptr)->cancel();
    }
    if (lost && !flight.timed) flight.left = flight.whole;
}

bool Wire::isHeldUp(const Flight& flight) const {
    if (flight.from == kEverybody) return outs_ > 0;
    const Out& from = out_[static_cast<std::size_t>(flight.from)];
    const Out& to = out_[static_cast<std::size_t>(flight.to)];
    const bool crosses = flight.from != flight.to;
    return from.host || to.host || (crosses && (from.link || to.link));
}

void Wire::change(const FaultEvent& fault) {
    Out& out = out_[static_cast<std::size_t>(fault.rank)];
    (fault.ofLink ? out.link : out.host) = fault.down;
    outs_ += fault.down ? 1 : -1;
    std::vector<std::uint64_t> resumable;
    for (auto& [number, flight] : flights_) {
        if (!flight.touches(fault.rank)) continue;
        const bool heldUp = isHeldUp(flight);
        if (heldUp) halt(flight, fault.ofLink && fault.down && flight.from != flight.to);
        if (!heldUp && !flight.isUnderWay()) resumable.push_back(number);
    }
    for (const std::uint64_t number : resumable) depart(number);
}

LinkCost Wire::worstNeighbourLink(const std::vector<int>& ranks, double reduceSecondsPerByte) const {
    LinkCost worst{.rho = reduceSecondsPerByte};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const sg::Host* host = hosts_[static_cast<std::size_t>(ranks[i])];
        const sg::Host* next = hosts_[static_cast<std::size_t>(ranks[(i + 1) % ranks.size()])];
        if (next == host) break;
        std::vector<sg::Link*> links;
        double latency = 0;
        host->route_to(next, links, &latency);
        worst.alpha = std::max(worst.alpha, latency);
        for (const sg::Link* link : links) worst.beta = std::max(worst.beta, 1 / link->get_bandwidth());
    }
    return worst;
}

LinkCost Wire::worstOfAllWays(const std::vector<int>& ranks, const std::function<int(int from)>& peerOf,
                              double reduceSecondsPerByte) const {
    LinkCost worst{.rho = reduceSecondsPerByte};
    std::unordered_map<const sg::Link*, double> messages;
    for (std::size_t from = 0; from < ranks.size(); ++from) {
        const sg::Host* host = hosts_[static_cast<std::size_t>(ranks[from])];
        const int place = peerOf(static_cast<int>(from));
        const sg::Host* peer = hosts_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(place)])];
        if (peer == host) continue;
        std::vector<sg::Link*> links;
        double latency = 0;
        host->route_to(peer, links, &latency);
        worst.alpha = std::max(worst.alpha, latency);
        for (const sg::Link* link : links) ++messages[link];
    }
    for (const auto& [link, crossing] : messages) {
        worst.beta = std::max(worst.beta, (link->is_shared() ? crossing : 1) / link->get_bandwidth());
    }
    return worst;
}

}  // namespace dasgd
