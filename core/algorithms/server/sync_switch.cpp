// Sync-Switch (Li et al., ICDCS 2021, arXiv 2104.08364): the first k₀ steps of every worker are bulk-synchronous, one
// update a step with the mean gradient; after them every gradient is an update of its own. The synchronous steps take a
// larger learning rate: of P workers P times that of the asynchronous ones, as published (0.8 and 0.1 with 8).
//
// Read: the abstract and the data and notes of cake-lab/Sync-Switch. The published runs end one program and start
// another from its checkpoint; here the servers go on. Their unit of work is a batch: a step of every worker here. Of
// the ways in which momentum is carried over, the one that is kept is the default; zeroed is momentum = "reset".
#include <string>
#include <utility>

#include "core/algorithms/server/bounded_lead.h"
#include "core/algorithms/server/parameter_server.h"

namespace dasgd {
namespace {

struct SyncSwitchParams {
    std::int64_t servers = 1;
    std::int64_t syncSteps = 0;
    double syncRate = 0;
    std::string momentum = "keep";
    void visit(auto&& f) {
        f(servers, "servers", serversField());
        f(syncSteps, "sync_steps",
          {.min = 0,
           .max = 1e15,
           .unit = "steps",
           .symbol = "k₀",
           .help = "First steps, which are bulk-synchronous; asynchronous from then on. 0: none"});
        f(syncRate, "sync_rate",
          {.min = 0,
           .max = 1e6,
           .help = "Learning rate of the synchronous steps ÷ the configured one; 0: the number of workers"});
        f(momentum, "momentum",
          {.help = "What becomes of the optimiser's state, which the servers have, at the switch",
           .choices = {"keep", "reset"}});
    }
};

class Switches final : public SynchronousUntil {
public:
    Switches(const Facts& facts, const SyncSwitchParams& params)
        : SynchronousUntil(facts, params.syncSteps),
          syncRate_(params.syncRate == 0 ? static_cast<double>(facts.workers) : params.syncRate),
          forgets_(params.momentum == "reset" && params.syncSteps > 0 && facts.completed <= params.syncSteps) {}

private:
    void adapt(Update& update, bool synchronous) override {
        if (synchronous) {
            update.rate = syncRate_;
        } else {
            update.forgetsMomentum = std::exchange(forgets_, false);
        }
    }

    double syncRate_;
    bool forgets_;  // the next asynchronous update resets the optimiser
};

class SyncSwitch final : public ParameterServer {
public:
    explicit SyncSwitch(const SyncSwitchParams& params) : ParameterServer(params.servers), params_(params) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return std::make_unique<Switches>(facts, params_);
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override { return params_.syncSteps < run.steps; }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t step) const override {
        return step <= params_.syncSteps ? gradientsOfAll(step) : "";
    }

    SyncSwitchParams params_;
};

const AlgorithmRegistry::Add<SyncSwitch, SyncSwitchParams> kSyncSwitchEntry{
    "sync_switch", "Parameter server that is bulk-synchronous first and asynchronous then", "arXiv 2104.08364",
    noFormula("after its synchronous steps workers push and pull whenever they come")};

}  // namespace
}  // namespace dasgd
