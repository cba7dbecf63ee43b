// Asynchronous SGD on a parameter server (Downpour SGD, Dean et al., "Large Scale Distributed Deep Networks", NIPS
// 2012): every gradient is an update of its own, and a worker starts its next step as soon as it has the weights that
// hold its last gradient. The same rule as ssp with a bound that no two workers reach.
//
// Variant: Downpour's workers may push and pull every few steps, here in each; there the servers step with Adagrad,
// here with the optimiser that is configured. P updates a step are made at the configured rate: about η/P suits where η
// suits a bulk-synchronous run. On unlike data it goes to the minimum weighted by the rates of the workers, not to the
// mean's.
#include "core/algorithms/server/bounded_lead.h"
#include "core/algorithms/server/parameter_server.h"

namespace dasgd {
namespace {

struct AsyncSgdParams {
    std::int64_t servers = 1;
    void visit(auto&& f) { f(servers, "servers", serversField()); }
};

class AsyncSgd final : public ParameterServer {
public:
    explicit AsyncSgd(const AsyncSgdParams& params) : ParameterServer(params.servers) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return makeBoundedLead(facts, kNoBound);
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength&) const override { return true; }
};

const AlgorithmRegistry::Add<AsyncSgd, AsyncSgdParams> kAsyncSgdEntry{
    "async_sgd", "Parameter server that makes every gradient an update at once", "Dean et al., NIPS 2012",
    noFormula(
        "its workers push and pull whenever they come, and which of them share a server's link depends on how far "
        "apart they are")};

}  // namespace
}  // namespace dasgd
