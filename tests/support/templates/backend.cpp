// Ranks as threads that run one after the other's start; made by tests/bench/add_one_of_each.sh.
#include <thread>

#include "core/backends/backend.h"
#include "core/comm/threads.h"

namespace dasgd {
namespace {

class ExtraHost final : public RankHost {
public:
    ExtraHost(const ClusterParams& cluster, Clock& clock, StepGate* gate)
        : clock_(clock), gate_(gate), group_(cluster.ranks(), cluster.deadline(), clock) {
        for (int rank = 0; rank < cluster.ranks(); ++rank) comms_.push_back(group_.communicator(Rank(rank)));
    }
    void run(const std::function<void(HostedRank&)>& body) override {
        std::vector<std::thread> threads;
        for (const auto& comm : comms_) {
            threads.emplace_back([&] {
                HostedRank rank{*comm, clock_, gate_};
                body(rank);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    void abort(const std::string& reason) override { group_.abort(reason); }

private:
    Clock& clock_;
    StepGate* gate_;
    ThreadsGroup group_;
    std::vector<std::unique_ptr<Communicator>> comms_;
};

class ExtraBackend final : public Backend {
public:
    explicit ExtraBackend(const NoParams&) {}
    [[nodiscard]] Layout layout(int ranks) const override { return Layout::oneProcess(ranks); }
    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override {
        return refuseSimulatedSections(document, cluster);
    }
    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override {
        return std::make_unique<ExtraHost>(*request.cluster, request.clock, request.control);
    }
};

const BackendRegistry::Add<ExtraBackend> kExtraBackendEntry{"extra_backend", "threads of one process, again"};

}  // namespace
}  // namespace dasgd
