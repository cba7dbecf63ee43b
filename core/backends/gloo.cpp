// Ranks are processes of one or many hosts. Communication: c10d's Gloo (core/comm/gloo/gloo.h); time: the host's
// monotonic clock. The ranks meet through a file in the run's folder, or where another launcher says.
#include "core/backends/gloo_group.h"

namespace dasgd {
namespace {

class GlooHost final : public RankHost {
public:
    GlooHost(std::unique_ptr<Communicator> comm, Clock& clock, StepGate* gate)
        : comm_(std::move(comm)), clock_(clock), gate_(gate) {}

    void run(const std::function<void(HostedRank&)>& body) override {
        HostedRank rank{*comm_, clock_, gate_};
        body(rank);
    }
    // Nothing to do: the process has no other rank.
    void abort(const std::string&) override {}

private:
    std::unique_ptr<Communicator> comm_;
    Clock& clock_;
    StepGate* gate_;
};

class GlooBackend final : public Backend {
public:
    explicit GlooBackend(const NoParams&) {}

    [[nodiscard]] Layout layout(int ranks) const override { return Layout::processARank(ranks); }

    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override {
        return refuseSimulatedSections(document, cluster);
    }

    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override {
        DASGD_ASSIGN(GlooGroup group, meetOverGloo(request));
        if (request.connected) DASGD_TRY(request.connected(*group.comm));
        return std::make_unique<GlooHost>(withLink(std::move(group.comm), *request.cluster, request.clock),
                                          request.clock, request.control);
    }
};

const BackendRegistry::Add<GlooBackend> kGlooBackendEntry{"gloo", "processes"};

}  // namespace
}  // namespace dasgd
