// Every host on one switch, again; made by tests/bench/add_one_of_each.sh.
#include "core/sim/network/network.h"
#include "core/sim/topologies/cluster_hosts.h"

namespace dasgd {
namespace {

struct ExtraTopologyParams {
    LinkSpec link;
    void visit(auto&& f) { link.visit(f); }
    [[nodiscard]] std::optional<FieldError> check() const { return link.check(); }
};

class ExtraTopology final : public Topology {
public:
    explicit ExtraTopology(const ExtraTopologyParams& params) : params_(params) {}

    [[nodiscard]] Status check(int) const override { return {}; }
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        auto* zone = simgrid::s4u::create_star_zone("extra");
        std::vector<simgrid::s4u::Host*> made;
        for (int i = 0; i < hosts; ++i) {
            made.push_back(hostOfStar(zone, i, params_.link.bytesPerSecond(), params_.link.latencySeconds()));
        }
        zone->seal();
        return made;
    }

private:
    ExtraTopologyParams params_;
};

const TopologyRegistry::Add<ExtraTopology, ExtraTopologyParams> kExtraTopologyEntry{"extra_topology", "One switch"};

}  // namespace
}  // namespace dasgd
