// Every host on one switch: a message crosses the sender's link and the receiver's. The switch itself is never the
// bottleneck.
#include "core/sim/network/network.h"
#include "core/sim/topologies/cluster_hosts.h"

namespace dasgd {
namespace {

struct StarParams {
    LinkSpec link;
    std::vector<double> bandwidthFactors = {1.0};
    void visit(auto&& f) {
        link.visit(f);
        f(bandwidthFactors, "bandwidth_factors",
          {.min = 0,
           .minOpen = true,
           .help = "Factors on the hosts' links, in turn: [1.0, 0.5] makes every second one half as wide"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (bandwidthFactors.empty()) {
            return FieldError{"bandwidth_factors", "bandwidth_factors is empty; leave it out for equal links"};
        }
        return link.check();
    }
};

class Star final : public Topology {
public:
    explicit Star(const StarParams& params) : params_(params) {}

    [[nodiscard]] Status check(int) const override { return {}; }

    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        auto* zone = simgrid::s4u::create_star_zone("star");
        std::vector<simgrid::s4u::Host*> made;
        for (int i = 0; i < hosts; ++i) {
            const double factor =
                params_.bandwidthFactors[static_cast<std::size_t>(i) % params_.bandwidthFactors.size()];
            made.push_back(hostOfStar(zone, i, params_.link.bytesPerSecond() * factor, params_.link.latencySeconds()));
        }
        zone->seal();
        return made;
    }

private:
    StarParams params_;
};

const TopologyRegistry::Add<Star, StarParams> kStarEntry{"star", "Every host on one switch"};

}  // namespace
}  // namespace dasgd
