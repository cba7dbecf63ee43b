#include "core/virtual/wire.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace sg = simgrid::s4u;

namespace {

// Keeps the activity alive until SimGrid reports its end.
struct InFlight {
    sg::CommPtr comm;
    std::function<void()> arrived;
};

void onEnd(const sg::Activity& activity) {
    const auto* comm = dynamic_cast<const sg::Comm*>(&activity);
    if (!comm) return;
    const std::unique_ptr<InFlight> flight(comm->get_data<InFlight>());
    if (!flight) return;
    flight->arrived();
}

}  // namespace

Wire::Wire(std::vector<sg::Host*> hosts) : hosts_(std::move(hosts)) {
    static bool listening = false;
    if (!std::exchange(listening, true)) sg::Activity::on_completion_cb(onEnd);
}

void Wire::send(int from, int to, std::int64_t bytes, std::function<void()> arrived) {
    DASGD_CHECK(from != to);
    auto comm = sg::Comm::sendto_init(hosts_[static_cast<std::size_t>(from)], hosts_[static_cast<std::size_t>(to)]);
    comm->set_payload_size(static_cast<std::uint64_t>(bytes));
    auto flight = std::make_unique<InFlight>(InFlight{comm, std::move(arrived)});
    comm->set_data(flight.release());
    comm->vetoable_start();
}

void Wire::ringIn(double seconds, std::function<void()> ring) {
    simgrid::kernel::timer::Timer::set(sg::Engine::get_clock() + seconds, std::move(ring));
}

LinkCost Wire::worstNeighbourLink(double reduceSecondsPerByte) const {
    LinkCost worst{.rho = reduceSecondsPerByte};
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const sg::Host* next = hosts_[(i + 1) % hosts_.size()];
        if (next == hosts_[i]) break;
        std::vector<sg::Link*> links;
        double latency = 0;
        hosts_[i]->route_to(next, links, &latency);
        worst.alpha = std::max(worst.alpha, latency);
        for (const sg::Link* link : links) worst.beta = std::max(worst.beta, 1 / link->get_bandwidth());
    }
    return worst;
}

}  // namespace dasgd
