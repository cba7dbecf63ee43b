// AD-PSGD, asynchronous decentralised parallel SGD (Lian et al., ICML 2018, arXiv 1710.06952): after its step an odd
// rank takes the mean with an even one, when that one comes, and nobody waits (pair_exchanges.h).
//
// Checked against the gossip of facebookresearch/stochastic_gradient_push (ad_psgd.py): even ranks are passive, odd
// ones active, so that no two ranks wait for each other. Variants: there exchanges run beside the computation, and
// gradients of an older read are applied as they come; here both ranks exchange between two steps, and the optimiser
// steps in between. A partner is drawn from [graph].
//
// The result depends on who comes first: runs repeat on the virtual cluster alone. A save ends what is under way, so
// that a run that is resumed takes another way than one that was not stopped.
#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"
#include "core/algorithms/gossip/pair_exchanges.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct AdPsgdParams {
    void visit(auto&&) {}
};

class AdPsgd : public Algorithm, public Checkpointed, public MixesOverGraph {
public:
    explicit AdPsgd(const AdPsgdParams&) { exchanges_.setGraph(graphOfDefaults("random-pair")); }

    [[nodiscard]] std::string_view defaultGraph() const override { return "random-pair"; }
    void setGraph(std::shared_ptr<const Graph> graph) override { exchanges_.setGraph(std::move(graph)); }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        return exchanges_.check(facts.workers);
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override { return run.ranks > 1; }
    void start(StepContext& context) override { exchanges_.start(context); }
    void afterStep(StepContext& context) override { exchanges_.afterStep(context); }
    void drain(StepContext& context) override { exchanges_.drain(context); }
    void save(StepContext& context, Archive& archive) override { exchanges_.save(context, archive); }
    Status load(StepContext& context, const Archive& archive) override { return exchanges_.load(context, archive); }

private:
    PairExchanges exchanges_{{.period = 1, .onlyOddRanksAsk = true}};
};

const AddWithSyncSteps<AdPsgd, AdPsgdParams> kAdPsgdEntry{
    "ad_psgd", "Pairs of an odd and an even rank that take their mean without waiting", "arXiv 1710.06952",
    noFormula("an exchange ends when the partner ends a step, and no formula tells how far apart ranks are")};

}  // namespace
}  // namespace dasgd
