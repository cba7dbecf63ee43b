// Ranks are actors of one thread on SimGrid (core/sim/engine); computation is real, time is simulated. Takes [network],
// [compute] and [faults]; a link is part of the network, not emulated. Actors take turns in one thread, so they share a
// journal and none of them may park at a stop.
#include <cmath>

#include "core/backends/backend.h"
#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/exec/simulated_executor.h"
#include "core/sim/engine/world.h"

namespace dasgd {
namespace {

// Records a failure at the instant and the step at which it happens.
class FaultLog {
public:
    FaultLog(std::function<EventSink&(Rank)> sink, const RunControl* control, double stepsPerEpoch)
        : sink_(std::move(sink)), control_(control), stepsPerEpoch_(stepsPerEpoch) {}

    void operator()(const FaultEvent& fault) const {
        const Rank rank(fault.rank);
        const std::int64_t step = control_ ? control_->completed(rank) : 0;
        sink_(rank).metric({.name = fault.ofLink ? metrics::kLinkDown : metrics::kHostDown,
                            .step = step,
                            .epoch = static_cast<double>(step) / stepsPerEpoch_,
                            .wall = static_cast<Ns>(std::llround(fault.at * 1e9)),
                            .value = fault.down ? 1.0 : 0.0});
    }

private:
    std::function<EventSink&(Rank)> sink_;
    const RunControl* control_;
    double stepsPerEpoch_;
};

class VirtualHost final : public RankHost {
public:
    VirtualHost(std::unique_ptr<VirtualWorld> world, RunControl* control) : world_(std::move(world)) {
        if (control) gate_.emplace(*control);
    }

    void run(const std::function<void(HostedRank&)>& body) override {
        world_->run([&](VirtualRank& own) {
            HostedRank rank{own.comm, own.clock, gate_ ? &*gate_ : nullptr, onSimulatedTime(own.simulatedTime)};
            body(rank);
        });
    }
    void abort(const std::string& reason) override { world_->abort(reason); }

private:
    std::unique_ptr<VirtualWorld> world_;
    std::optional<CooperativeGate> gate_;
};

class VirtualBackend final : public Backend {
public:
    explicit VirtualBackend(const NoParams&) {}

    [[nodiscard]] Layout layout(int ranks) const override {
        Layout layout = Layout::oneProcess(ranks);
        layout.sharedJournal = true;
        layout.timeSimulated = true;
        return layout;
    }

    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override {
        if (!cluster.link) return {};
        return fail(document.find("cluster")->find("link")->keyPosition().prefix() +
                    "link slows a real network down; a virtual cluster takes bandwidth and latency from [network]");
    }

    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override {
        DASGD_CHECK(request.simulated);
        const SimulatedCluster& cluster = *request.simulated;
        DASGD_ASSIGN(StepTimes times, cluster.stepTimes());
        request.sink(Rank{0}).metric(
            {.name = metrics::kComputedStepMs, .value = times.total(cluster.microBatches) * 1e3});
        DASGD_ASSIGN(auto world,
                     VirtualWorld::create(cluster.topology,
                                          {.ranks = request.cluster->ranks(),
                                           .timeout = request.cluster->deadline(),
                                           .network = cluster.network,
                                           .compute = cluster.compute,
                                           .times = std::move(times),
                                           .faults = cluster.faults,
                                           .faulted = FaultLog(request.sink, request.control, cluster.stepsPerEpoch)}));
        return std::make_unique<VirtualHost>(std::move(world), request.control);
    }
};

const BackendRegistry::Add<VirtualBackend> kVirtualBackendEntry{"virtual", "simulated time in one process"};

}  // namespace
}  // namespace dasgd
