// A fat tree (Leiserson 1985, as SimGrid lays out parallel ports generalised fat trees): hosts under switches under
// switches, with several links upwards.
#include "core/sim/network/network.h"
#include "core/sim/topologies/cluster_hosts.h"

namespace dasgd {
namespace {

struct FatTreeFields {
    std::vector<std::int64_t> down = {8, 8};
    std::vector<std::int64_t> up = {1, 4};
    std::vector<std::int64_t> parallel = {1, 1};
    LinkSpec link;
    void visit(auto&& f) {
        f(down, "down", {.min = 1, .max = 4096, .help = "Nodes below a switch, for each level from the hosts up"});
        f(up, "up", {.min = 1, .max = 4096, .help = "Switches above a node, for each level"});
        f(parallel, "parallel", {.min = 1, .max = 4096, .help = "Parallel links, for each level"});
        link.visit(f);
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (down.empty()) return FieldError{"down", "down is empty; write one number a level, as [8, 8]"};
        if (up.size() != down.size() || parallel.size() != down.size()) {
            return FieldError{
                up.size() != down.size() ? "up" : "parallel",
                "down, up and parallel need one number for each level; down has " + std::to_string(down.size())};
        }
        return link.check();
    }
};

class FatTree final : public Topology {
public:
    explicit FatTree(const FatTreeFields& fields) : fields_(fields) {}
    [[nodiscard]] Status check(int hosts) const override {
        NetworkSize size = gridOf(fields_.down, "down, up or parallel");
        double nodes = size.hosts;  // nodes of the level below
        for (std::size_t level = 0; level < fields_.down.size(); ++level) {
            const auto up = static_cast<double>(fields_.up[level]);
            size.links += nodes * up * static_cast<double>(fields_.parallel[level]);
            nodes *= up / static_cast<double>(fields_.down[level]);
            size.switches += nodes;
        }
        return checkSize(hosts, size);
    }
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        ClusterHosts made;
        const auto levels = [](const std::vector<std::int64_t>& numbers) {
            return std::vector<unsigned int>(numbers.begin(), numbers.end());
        };
        const simgrid::s4u::FatTreeParams tree(static_cast<unsigned int>(fields_.down.size()), levels(fields_.down),
                                               levels(fields_.up), levels(fields_.parallel));
        simgrid::s4u::create_fatTree_zone("fat-tree", nullptr, tree, made.callbacks(), fields_.link.bytesPerSecond(),
                                          fields_.link.latencySeconds(), simgrid::s4u::Link::SharingPolicy::SPLITDUPLEX)
            ->seal();
        return made.first(hosts);
    }

private:
    FatTreeFields fields_;
};

const TopologyRegistry::Add<FatTree, FatTreeFields> kFatTreeEntry{"fat-tree", "Hosts under switches under switches"};

}  // namespace
}  // namespace dasgd
