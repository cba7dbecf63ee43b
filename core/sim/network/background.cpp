#include "core/sim/network/background.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace dasgd {

namespace sg = simgrid::s4u;

namespace {

// Routes examined from each host: all of them up to this many hosts, evenly spread ones beyond it, so that every host
// is examined equally often from either end.
constexpr std::size_t kWays = 128;

// Busy time of the busiest link in seconds per byte, for one message per second between random hosts.
double busiestSecondsPerByte(const std::vector<sg::Host*>& hosts) {
    const std::size_t ways = std::min(kWays, hosts.size() - 1);
    std::unordered_map<const sg::Link*, double> crossings;
    for (std::size_t from = 0; from < hosts.size(); ++from) {
        for (std::size_t way = 0; way < ways; ++way) {
            const std::size_t apart = 1 + way * (hosts.size() - 1) / ways;
            std::vector<sg::Link*> links;
            double latency = 0;
            hosts[from]->route_to(hosts[(from + apart) % hosts.size()], links, &latency);
            for (const sg::Link* link : links) crossings[link] += 1;
        }
    }
    double busiest = 0;
    for (const auto& [link, count] : crossings) {
        if (link->is_shared()) busiest = std::max(busiest, count / link->get_bandwidth());
    }
    return busiest / static_cast<double>(hosts.size() * ways);
}

}  // namespace

Background::Background(const BackgroundParams& params, double efficiency, Wire& wire)
    : wire_(wire), bytes_(std::llround(params.messageBytes())) {
    const auto seed = static_cast<std::uint64_t>(params.seed);
    std::seed_seq both{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    bits_.seed(both);
    if (wire.hosts().size() < 2) return;
    const double busy = busiestSecondsPerByte(wire.hosts());
    if (busy > 0) messagesPerSecond_ = params.load * efficiency / (busy * static_cast<double>(bytes_));
}

double Background::uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }

void Background::start() {
    if (messagesPerSecond_ > 0) awaitNext();
}

void Background::stop() {
    if (timer_) std::exchange(timer_, nullptr)->remove();
}

void Background::awaitNext() {
    const double gap = -std::log(uniform()) / messagesPerSecond_;
    timer_ = simgrid::kernel::timer::Timer::set(sg::Engine::get_clock() + gap, [this] {
        timer_ = nullptr;
        sendOne();
        awaitNext();
    });
}

void Background::sendOne() {
    const auto hosts = static_cast<double>(wire_.hosts().size());
    const auto from = static_cast<int>(uniform() * hosts);
    const auto other = static_cast<int>(uniform() * (hosts - 1));
    ++sent_;
    wire_.sendBackground(from, other < from ? other : other + 1, bytes_, [] {});
}

}  // namespace dasgd
