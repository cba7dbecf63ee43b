// Stale synchronous parallel (Ho et al., "More Effective Distributed ML via a Stale Synchronous Parallel Parameter
// Server", NIPS 2013): a worker starts its next step once it is at most s steps ahead of the slowest one. With s = 0
// that is bulk-synchronous SGD; with no bound, s >= the run's steps, asynchronous SGD (Downpour, Dean et al., NIPS
// 2012).
//
// Checked against code of the paper's group (sailing-pmls/jbosen, SSPDemo): a worker that has finished c steps reads,
// in the next one, at least the first c − s steps of all others. Variant: there workers add up updates of their own
// making, here they push gradients and the servers' optimiser steps; there reads are from a cache, here a pull follows
// each push.
//
// With s > 0 every gradient is an update w ← U(w, g) of its own, also of the momentum, which lives on the servers: P
// updates a step at the learning rate at which s = 0 makes one, of the mean. A rate that suits one does not suit the
// other.
#include "core/algorithms/server/bounded_lead.h"
#include "core/algorithms/server/parameter_server.h"

namespace dasgd {
namespace {

struct SspParams {
    std::int64_t servers = 1;
    std::int64_t staleness = 3;
    void visit(auto&& f) {
        f(servers, "servers", serversField());
        f(staleness, "staleness",
          {.min = 0,
           .max = 1e15,
           .unit = "steps",
           .symbol = "s",
           .help = "By so many steps a worker that starts one may be ahead of the slowest; 0: bulk-synchronous, one "
                   "update a step with the mean gradient; else every gradient is an update; from the run's steps on "
                   "the bound never holds: asynchronous"});
    }
};

class Ssp final : public ParameterServer {
public:
    explicit Ssp(const SspParams& params) : ParameterServer(params.servers), staleness_(params.staleness) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return makeBoundedLead(facts, staleness_);
    }
    // True where the bound is one that no two workers can reach.
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override { return staleness_ >= run.steps - 1; }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t step) const override {
        return gradientsOfAll(step - staleness_);
    }

    std::int64_t staleness_;
};

// Pattern for equally fast workers: they push at once, and pull once the last push has come.
CommunicationPattern patternOfSsp() {
    CommunicationPattern pattern = averagesEvery(1);
    pattern.servers = ofField("servers");
    pattern.limits = {{.field = "staleness",
                       .value = "0",
                       .why = "with staleness above 0 its workers push and pull whenever they come, and which of them "
                              "share a server's link then depends on how far apart they are",
                       .unless = true}};
    pattern.assumes = {"All workers are equally fast, and the servers' updates take no time."};
    return pattern;
}

const AlgorithmRegistry::Add<Ssp, SspParams> kSspEntry{
    "ssp", "Parameter server whose workers are a bounded number of steps apart", "Ho et al., NIPS 2013",
    patternOfSsp()};

}  // namespace
}  // namespace dasgd
