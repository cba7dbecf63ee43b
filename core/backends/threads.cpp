// Ranks are threads of one process (core/comm/threads.h); time is the host's monotonic clock.
#include "core/comm/threads.h"

#include <thread>

#include "core/backends/backend.h"

namespace dasgd {
namespace {

class ThreadsHost final : public RankHost {
public:
    ThreadsHost(const ClusterParams& cluster, Clock& clock, StepGate* gate)
        : clock_(clock), gate_(gate), group_(cluster.ranks(), cluster.deadline(), clock) {}

    void add(std::unique_ptr<Communicator> comm) { comms_.push_back(std::move(comm)); }
    [[nodiscard]] ThreadsGroup& group() { return group_; }

    void run(const std::function<void(HostedRank&)>& body) override {
        std::vector<std::thread> threads;
        threads.reserve(comms_.size());
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

class ThreadsBackend final : public Backend {
public:
    explicit ThreadsBackend(const NoParams&) {}

    [[nodiscard]] Layout layout(int ranks) const override { return Layout::oneProcess(ranks); }

    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override {
        return refuseSimulatedSections(document, cluster);
    }

    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override {
        auto host = std::make_unique<ThreadsHost>(*request.cluster, request.clock, request.control);
        for (const int rank : request.ranks) {
            auto comm = host->group().communicator(Rank(rank));
            if (request.connected) DASGD_TRY(request.connected(*comm));
            host->add(withLink(std::move(comm), *request.cluster, request.clock));
        }
        return host;
    }
};

const BackendRegistry::Add<ThreadsBackend> kThreadsBackendEntry{"threads", "threads of one process"};

}  // namespace
}  // namespace dasgd
