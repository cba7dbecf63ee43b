// What the topologies that SimGrid lays out itself share: it asks for a host at every leaf.
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

inline constexpr double kFlopsUnused = 1e9;  // SimGrid wants a speed; computing is slept through

// Keeps the hosts that it makes, by leaf. Lives until the zone is made.
class ClusterHosts {
public:
    [[nodiscard]] simgrid::s4u::ClusterCallbacks callbacks() {
        return simgrid::s4u::ClusterCallbacks(
            [this](simgrid::s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
                auto* host = zone->create_host("host-" + std::to_string(id), kFlopsUnused);
                byLeaf_.emplace_back(id, host);
                return std::make_pair(host->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
            });
    }
    [[nodiscard]] std::vector<simgrid::s4u::Host*> first(int hosts) {
        std::sort(byLeaf_.begin(), byLeaf_.end());
        std::vector<simgrid::s4u::Host*> made;
        for (const auto& [id, host] : byLeaf_) made.push_back(host);
        made.resize(static_cast<std::size_t>(hosts));
        return made;
    }

private:
    std::vector<std::pair<unsigned long, simgrid::s4u::Host*>> byLeaf_;
};

// Half of a way across a star: two equal links make the way, with half of its latency each.
inline const simgrid::s4u::Link* halfWay(simgrid::s4u::NetZone* star, const std::string& name, double bytesPerSecond,
                                         double latencySeconds) {
    return star->create_split_duplex_link(name, bytesPerSecond)->set_latency(latencySeconds / 2)->seal();
}

// The host of `rank` at the end of a link of its own.
inline simgrid::s4u::Host* hostOfStar(simgrid::s4u::NetZone* star, int rank, double bytesPerSecond,
                                      double latencySeconds) {
    const std::string number = std::to_string(rank);
    auto* host = star->create_host("host-" + number, kFlopsUnused);
    const auto* link = halfWay(star, "link-" + number, bytesPerSecond, latencySeconds);
    star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, simgrid::s4u::LinkInRoute::Direction::UP}},
                    true);
    return host;
}

// Whether `hosts` find a place among `places`; `how` says how the places are counted.
inline Status checkPlaces(int hosts, double places, const std::string& how) {
    if (hosts <= places) return {};
    return fail("the network has " + std::to_string(static_cast<long long>(places)) + " hosts (" + how + ") for " +
                std::to_string(hosts) + " workers; make it larger, or use fewer workers");
}

// The same for places that are the product of `extents`.
inline Status checkGrid(int hosts, const std::vector<std::int64_t>& extents) {
    double places = 1;
    std::string how;
    for (const std::int64_t extent : extents) {
        places *= static_cast<double>(extent);
        how += (how.empty() ? "" : " x ") + std::to_string(extent);
    }
    return checkPlaces(hosts, places, how);
}

}  // namespace dasgd
