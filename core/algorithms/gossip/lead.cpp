// LEAD, linear convergence with unlike data (Liu et al., ICLR 2021, arXiv 2007.00232), without its compression, which
// is exact diffusion. With D = 0 at first,
//   Y = x − ηg − ηD;   D ← D + γ/(2η)·(Y − WY);   x ← x − ηg − ηD
// D sums to 0 over the ranks, so that ⟨x⟩ makes SGD's mean step, and takes out how unlike the data are: with full
// gradients all ranks come to the optimum of the mean, where D-PSGD stays apart from it.
//
// The paper sends compressed differences of Y from a state H, with a share α of them added to it; uncompressed, what
// arrives does not depend on H. The order of the lines is our reading; it was checked by its reductions. W must be
// symmetric and static. η should be constant, as D is of gradients: in a step whose rate is 0 D stays as it is.
//
// Sends N to each neighbour in every step, and waits for it. Memory beside the weights: 3 N, and N for each neighbour.
#include <torch/types.h>

#include <string>

#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"
#include "core/algorithms/gossip/plain_sgd.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct LeadParams {
    double consensus = 1;
    void visit(auto&& f) {
        f(consensus, "consensus",
          {.min = 0,
           .max = 2,
           .minOpen = true,
           .maxOpen = true,
           .symbol = "γ",
           .help = "Step size of the correction of unlike data"});
    }
};

class Lead final : public Algorithm, public Checkpointed, public OwnUpdate, public MixesOverGraph {
public:
    explicit Lead(const LeadParams& params) : consensus_(params.consensus) {
        mixing_.setGraph(graphOfDefaults("ring"));
    }

    void setGraph(std::shared_ptr<const Graph> graph) override { mixing_.setGraph(std::move(graph)); }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (auto refused = refuseAllButPlainSgd("lead", facts)) return refused;
        if (auto refused = mixing_.check(facts)) return refused;
        const Graph& graph = mixing_.graph();
        if (facts.workers == 1 || (graph.isSymmetric() && graph.period(facts.workers) == 1)) return std::nullopt;
        return FieldError{"graph.name",
                          "lead needs a graph that is symmetric and the same in each round: choose ring, torus, line, "
                          "star, complete, or a symmetric matrix"};
    }
    void start(StepContext& context) override {
        begin(context);
        mixing_.record(context);
    }
    // x − ηg in the weights, and Y beside them.
    void update(StepContext& context, Optimizer&) override {
        FlatParams& params = context.params();
        params.weights().sub_(params.gradients(), context.learningRate());
        at::sub_out(own_, params.weights(), dual_, context.learningRate());
        mixed_.copy_(own_);
    }
    void afterStep(StepContext& context) override {
        FlatParams& params = context.params();
        const double rate = context.learningRate();
        mixing_.mix(context, context.ownSteps() - 1, mixed_);
        context.executor().run({SpanKind::Merge, 3 * params.bytes()}, [&] {
            const at::NoGradGuard guard;
            // The difference first: multiplied before, the rounding of its terms would add up in D.
            if (rate != 0) dual_.add_(own_.sub_(mixed_), consensus_ / (2 * rate));
            params.weights().sub_(dual_, rate);
        });
    }
    void drain(StepContext&) override {}
    void save(StepContext&, Archive& archive) override { archive.put("dual", dual_); }
    Status load(StepContext& context, const Archive& archive) override {
        begin(context);
        return archive.read("dual", dual_);
    }

private:
    void begin(StepContext& context) {
        const at::Tensor& weights = context.params().weights();
        dual_ = at::zeros_like(weights);
        own_ = at::empty_like(weights);
        mixed_ = at::empty_like(weights);
    }

    double consensus_;
    GraphMixing mixing_;
    at::Tensor dual_, own_, mixed_;  // [N]: D; Y; WY
};

const AlgorithmRegistry::Add<Lead, LeadParams> kLeadEntry{"lead", "Gossip that comes to the optimum of unlike data",
                                                          "arXiv 2007.00232", gossipPattern()};

}  // namespace
}  // namespace dasgd
