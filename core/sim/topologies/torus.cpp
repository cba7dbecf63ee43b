// Hosts on a grid that is closed in every dimension, with a link to each neighbour; messages change direction at most
// once a dimension and share links with all other messages on their route. A ring is the torus of one dimension.
#include "core/sim/network/network.h"
#include "core/sim/topologies/cluster_hosts.h"

namespace dasgd {
namespace {

struct TorusParams {
    std::vector<std::int64_t> dimensions = {4, 4};
    LinkSpec link;
    void visit(auto&& f) {
        f(dimensions, "dimensions", {.min = 1, .max = 4096, .unit = "hosts", .help = "Hosts along each dimension"});
        link.visit(f);
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (dimensions.empty())
            return FieldError{"dimensions", "dimensions is empty; write one number a dimension, as [4, 4]"};
        return link.check();
    }
};

Result<std::vector<simgrid::s4u::Host*>> buildTorus(const std::vector<unsigned long>& dimensions, const LinkSpec& link,
                                                    int hosts) {
    ClusterHosts made;
    simgrid::s4u::create_torus_zone("torus", nullptr, dimensions, made.callbacks(), link.bytesPerSecond(),
                                    link.latencySeconds(), simgrid::s4u::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
    return made.first(hosts);
}

class Torus final : public Topology {
public:
    explicit Torus(const TorusParams& params) : params_(params) {}
    [[nodiscard]] Status check(int hosts) const override {
        NetworkSize size = gridOf(params_.dimensions, "dimensions");
        size.links = size.hosts * static_cast<double>(params_.dimensions.size());
        return checkSize(hosts, size);
    }
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        return buildTorus({params_.dimensions.begin(), params_.dimensions.end()}, params_.link, hosts);
    }

private:
    TorusParams params_;
};

class Ring final : public Topology {
public:
    explicit Ring(const LinkSpec& link) : link_(link) {}
    [[nodiscard]] Status check(int) const override { return {}; }
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        return buildTorus({static_cast<unsigned long>(hosts)}, link_, hosts);
    }

private:
    LinkSpec link_;
};

const TopologyRegistry::Add<Torus, TorusParams> kAddTorus{"torus", "A grid that closes on itself"};
const TopologyRegistry::Add<Ring, LinkSpec> kAddRing{"ring", "Every host linked to two neighbours"};

}  // namespace
}  // namespace dasgd
