// Nodes of several accelerators: fast links within a node (NVLink), one network card a node that all of them share
// (Ethernet, InfiniBand) to a switch between the nodes. Ranks fill node after node.
#include "core/sim/network/network.h"
#include "core/sim/topologies/cluster_hosts.h"

namespace dasgd {
namespace {

struct TwoLevelParams {
    std::int64_t perNode = 8;
    LinkSpec within{.bandwidth = "1200Gbps", .latency = "2us"};
    LinkSpec between{.bandwidth = "100Gbps", .latency = "10us"};
    void visit(auto&& f) {
        f(perNode, "per_node", {.min = 1, .max = 4096, .unit = "ranks", .help = "Accelerators of a node"});
        f(within, "within", {.help = "Link of an accelerator to the others of its node"});
        f(between, "between", {.help = "Link of a node to the switch"});
    }
};

class TwoLevel final : public Topology {
public:
    explicit TwoLevel(const TwoLevelParams& params) : params_(params) {}
    [[nodiscard]] Status check(int) const override { return {}; }

    // A route crosses two equal links on each level, with half of the level's latency each.
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        auto* switches = simgrid::s4u::create_star_zone("between");
        std::vector<simgrid::s4u::Host*> made;
        for (int node = 0; static_cast<int>(made.size()) < hosts; ++node) {
            const std::string number = std::to_string(node);
            auto* inside = simgrid::s4u::create_star_zone("node-" + number);
            inside->set_parent(switches);
            auto* gateway = inside->create_router("gateway-" + number);
            inside->add_route(gateway, nullptr, nullptr, nullptr, std::vector<simgrid::s4u::LinkInRoute>{}, true);
            for (int i = 0; i < params_.perNode && static_cast<int>(made.size()) < hosts; ++i) {
                made.push_back(hostOfStar(inside, static_cast<int>(made.size()), params_.within.bytesPerSecond(),
                                          params_.within.latencySeconds()));
            }
            inside->seal();
            const auto* card =
                halfWay(switches, "card-" + number, params_.between.bytesPerSecond(), params_.between.latencySeconds());
            switches->add_route(inside->get_netpoint(), nullptr, gateway, nullptr,
                                {{card, simgrid::s4u::LinkInRoute::Direction::UP}}, true);
        }
        switches->seal();
        return made;
    }

private:
    TwoLevelParams params_;
};

const TopologyRegistry::Add<TwoLevel, TwoLevelParams> kTwoLevelEntry{"two-level",
                                                                     "Nodes of several accelerators on one switch"};

}  // namespace
}  // namespace dasgd
