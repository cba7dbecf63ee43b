// Common code of the topologies that SimGrid lays out itself: it calls back for the host of every leaf.
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

inline constexpr double kFlopsUnused = 1e9;  // SimGrid requires a speed; computation is simulated as sleeping

// Makes the hosts and keeps them by leaf. Lives until the zone is made.
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

// Half of a route across a star: two equal links make the route, with half of its latency each.
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

// Everything that SimGrid makes of a network, whether workers need it or not.
struct NetworkSize {
    double hosts = 1;
    std::string how;      // product that gives the number of hosts, as "4 x 4"
    double switches = 0;  // number of switches or routers
    double links = 0;
    std::string fields;  // fields that determine it, as "down or up"
};

// Largest network, which is built in seconds and in less than a GB.
inline constexpr double kMostNodes = 65'536;
inline constexpr double kMostLinks = 4 * kMostNodes;

// Checks that the network has room for `hosts`, and that it fits into memory.
inline Status checkSize(int hosts, const NetworkSize& size) {
    const auto text = [](double count) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.15g", count);
        return std::string(digits);
    };
    const std::string has = "the network has ";
    const std::string how = " hosts (" + size.how + ")";
    if (hosts > size.hosts) {
        return fail(has + text(size.hosts) + how + " for " + std::to_string(hosts) +
                    " workers; make it larger, or use fewer workers");
    }
    const auto tooMany = [&](double count, double most, const std::string& what) {
        return fail(has + text(count) + what + ", and all are built, used or not: " + text(most) + " at most; make " +
                    size.fields + " smaller");
    };
    if (size.hosts > kMostNodes) return tooMany(size.hosts, kMostNodes, how);
    if (size.switches > kMostNodes) return tooMany(size.switches, kMostNodes, " switches");
    if (size.links > kMostLinks) return tooMany(size.links, kMostLinks, " links");
    return {};
}

// Size of a network whose number of hosts is the product of `extents`.
inline NetworkSize gridOf(const std::vector<std::int64_t>& extents, const std::string& fields) {
    NetworkSize size{.fields = fields};
    for (const std::int64_t extent : extents) {
        size.hosts *= static_cast<double>(extent);
        size.how += (size.how.empty() ? "" : " x ") + std::to_string(extent);
    }
    return size;
}

}  // namespace dasgd
