// What the topologies that SimGrid lays out itself share: it asks for a host at every leaf.
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
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

// Whether `hosts` find a place among `places`; `how` says how the places are counted.
inline Status checkPlaces(int hosts, double places, const std::string& how) {
    if (hosts <= places) return {};
    return fail("the network has " + std::to_string(static_cast<long long>(places)) + " hosts (" + how + ") for " +
                std::to_string(hosts) + " workers; make it larger, or use fewer workers");
}

}  // namespace dasgd
