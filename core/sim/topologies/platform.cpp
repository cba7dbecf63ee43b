// Any network that a platform file of SimGrid describes. A run keeps a copy of the file and is made from that.
#include "core/sim/network/platform.h"

#include <set>

#include "core/sim/network/network.h"

namespace dasgd {
namespace {

struct PlatformFields {
    std::string file;
    std::string hosts;
    std::string checksum;
    void visit(auto&& f) {
        f(file, "file", {.help = "A platform file of SimGrid, as cluster.xml; from the folder of the experiment file"});
        f(hosts, "hosts",
          {.help =
               "Names of the ranks' hosts, as \"node-0, node-8\"; empty: the first ones, in the order of the file"});
        f(checksum, "checksum", {.help = "Checksum of the file's content; a run's record has it. Empty: any content"});
    }
};

class Platform final : public Topology {
public:
    explicit Platform(const PlatformFields& fields) : fields_(fields), hosts_(hostNames(fields.hosts)) {}

    [[nodiscard]] Result<std::optional<NetworkFile>> open(const std::filesystem::path& folder) override {
        const auto path = fields_.file.empty() ? std::filesystem::path() : folder / fields_.file;
        DASGD_ASSIGN(opened_, openPlatform(path, fields_.checksum));
        return std::optional(opened_.file);
    }
    // The number of hosts in the file is known only after SimGrid has read it.
    [[nodiscard]] Status check(int hosts) const override {
        if (!hosts_.empty() && static_cast<int>(hosts_.size()) < hosts) {
            return fail("hosts names " + std::to_string(hosts_.size()) + " hosts for " + std::to_string(hosts) +
                        " workers; name more, or use fewer workers");
        }
        std::set<std::string> seen;
        for (const std::string& name : hosts_) {
            if (!seen.insert(name).second) return fail("hosts names '" + name + "' twice; a host has one rank");
        }
        return {};
    }
    [[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> build(int hosts) const override {
        DASGD_ASSIGN(const PlatformImage image, PlatformImage::make(opened_));
        return buildPlatform(image, hosts_, hosts);
    }

private:
    PlatformFields fields_;
    std::vector<std::string> hosts_;
    OpenedPlatform opened_;
};

const TopologyRegistry::Add<Platform, PlatformFields> kPlatformEntry{
    "platform", "What a platform file of SimGrid describes", "simgrid.org, XML reference"};

}  // namespace
}  // namespace dasgd
