// A dragonfly (Kim et al., ISCA 2008; with the chassis of the Cray Cascade, SC 2012, as SimGrid lays it out): groups of
// chassis of routers, each router with its hosts; every group is linked to every other.
#include "core/sim/network/network.h"
#include "core/sim/topologies/cluster_hosts.h"

namespace dasgd {
namespace {

struct DragonflyFields {
    std::int64_t groups = 4;
    std::int64_t chassis = 2;
    std::int64_t routers = 4;
    std::int64_t hosts = 2;
    std::int64_t groupLinks = 1;
    std::int64_t chassisLinks = 1;
    std::int64_t routerLinks = 1;
    LinkSpec link;
    void visit(auto&& f) {
        f(groups, "groups", {.min = 1, .max = 4096, .help = "Groups, all linked to each other"});
        f(chassis, "chassis", {.min = 1, .max = 4096, .help = "Chassis of a group"});
        f(routers, "routers", {.min = 1, .max = 4096, .help = "Routers of a chassis"});
        f(hosts, "hosts", {.min = 1, .max = 4096, .help = "Hosts of a router"});
        f(groupLinks, "group_links", {.min = 1, .max = 4096, .help = "Side by side between two groups"});
        f(chassisLinks, "chassis_links", {.min = 1, .max = 4096, .help = "Side by side between two chassis"});
        f(routerLinks, "router_links", {.min = 1, .max = 4096, .help = "Side by side between two routers"});
        link.visit(f);
    }
    // SimGrid routes from a group to group g by the router of that number in each chassis, and looks no further.
    [[nodiscard]] std::optional<FieldError> check() const {
        if (groups > 1 && groups > routers) {
            return FieldError{"groups",
                              "groups is " + std::to_string(groups) + " and a chassis has " + std::to_string(routers) +
                                  " routers; each of them leads to one group: set routers to at least groups"};
        }
        return link.check();
    }
};

class Dragonfly final : public Topology {
public:
    explicit Dragonfly(const DragonflyFields& fields) : fields_(fields) {}
    [[nodiscard]] Status check(int hosts) const override {
        const auto groups = static_cast<double>(fields_.groups);
        const auto chassis = static_cast<double>(fields_.chassis);
        const auto routers = static_cast<double>(fields_.routers);
        NetworkSize size{.how = "groups x chassis x routers x hosts",
                         .switches = groups * chassis * routers,
                         .fields = "groups, chassis, routers or hosts"};
        size.hosts = size.switches * static_cast<double>(fields_.hosts);
        // Links of the hosts; of a router to all others of its chassis, and to its counterparts in the group; of
        // groups.
        size.links = size.hosts + size.switches * (routers - 1 + chassis - 1) / 2 + groups * (groups - 1) / 2;
        return checkSize(hosts, size);
    }
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        ClusterHosts made;
        const auto pair = [](std::int64_t count, std::int64_t links) {
            return std::make_pair(static_cast<unsigned int>(count), static_cast<unsigned int>(links));
        };
        const simgrid::s4u::DragonflyParams shape(
            pair(fields_.groups, fields_.groupLinks), pair(fields_.chassis, fields_.chassisLinks),
            pair(fields_.routers, fields_.routerLinks), static_cast<unsigned int>(fields_.hosts));
        simgrid::s4u::create_dragonfly_zone("dragonfly", nullptr, shape, made.callbacks(),
                                            fields_.link.bytesPerSecond(), fields_.link.latencySeconds(),
                                            simgrid::s4u::Link::SharingPolicy::SPLITDUPLEX)
            ->seal();
        return made.first(hosts);
    }

private:
    DragonflyFields fields_;
};

const TopologyRegistry::Add<Dragonfly, DragonflyFields> kDragonflyEntry{"dragonfly",
                                                                        "Groups of routers, all linked to each other"};

}  // namespace
}  // namespace dasgd
