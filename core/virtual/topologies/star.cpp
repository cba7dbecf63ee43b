// Every host on one switch: a message crosses the sender's link and the receiver's. The switch itself is never the
// limit.
#include <simgrid/s4u.hpp>

#include "core/virtual/network.h"

namespace dasgd {
namespace {

class Star final : public Topology {
public:
    explicit Star(const LinkSpec& link) : link_(link) {}

    [[nodiscard]] Status check(int) const override { return {}; }

    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        constexpr double kFlopsUnused = 1e9;
        auto* zone = simgrid::s4u::create_star_zone("star");
        std::vector<simgrid::s4u::Host*> made;
        for (int i = 0; i < hosts; ++i) {
            const std::string number = std::to_string(i);
            auto* host = zone->create_host("host-" + number, kFlopsUnused);
            // Half of the way's latency on either link.
            auto* link = zone->create_split_duplex_link("link-" + number, link_.bytesPerSecond())
                             ->set_latency(link_.latencySeconds() / 2)
                             ->seal();
            zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                            {{link, simgrid::s4u::LinkInRoute::Direction::UP}}, true);
            made.push_back(host);
        }
        zone->seal();
        return made;
    }

private:
    LinkSpec link_;
};

const TopologyRegistry::Add<Star, LinkSpec> kAdd{"star", "Every host on one switch"};

}  // namespace
}  // namespace dasgd
