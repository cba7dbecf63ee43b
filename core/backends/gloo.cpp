// Ranks are processes of one or many hosts. Communication: c10d's Gloo (core/comm/gloo/gloo.h); time: the host's
// monotonic clock. The ranks meet through a file of the run's folder, or where a launcher of others says.
#include "core/comm/gloo/gloo.h"

#include "core/backends/backend.h"
#include "core/base/check.h"

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
    // The process has no other rank.
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
        DASGD_CHECK(request.ranks.size() == 1);
        const ClusterParams& cluster = *request.cluster;
        GlooOptions options{
            .rank = Rank(request.ranks.front()), .size = cluster.ranks(), .timeout = cluster.deadline()};
        if (request.meeting) options.interface = request.meeting->interface;
        DASGD_ASSIGN(const Rendezvous rendezvous, meetingPlace(request));
        DASGD_ASSIGN(auto comm, makeGloo(rendezvous, options, request.clock));
        if (request.connected) DASGD_TRY(request.connected(*comm));
        return std::make_unique<GlooHost>(withLink(std::move(comm), cluster, request.clock), request.clock,
                                          request.control);
    }

private:
    static Result<Rendezvous> meetingPlace(const HostRequest& request) {
        if (request.meeting) return request.meeting->rendezvous;
        return Rendezvous::file(request.folder / "rendezvous", request.cluster->ranks(), request.cluster->deadline());
    }
};

const BackendRegistry::Add<GlooBackend> kGlooBackendEntry{"gloo", "processes"};

}  // namespace
}  // namespace dasgd
