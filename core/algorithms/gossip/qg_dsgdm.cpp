// QG-DSGDm, decentralised SGD with quasi-global momentum (Lin et al., ICML 2021, arXiv 2102.04761): the momentum
// follows the way that the mixed weights take, so that on unlike data it is nearly the same on all ranks.
//   h = x − η(βm + g);   x⁺ = Σⱼ Wᵢⱼ·hⱼ;   m ← βm + (1−β)(x − x⁺)/η
//
// Checked against a program of others (yukiTakezawa/MomentumTracking). In a step whose rate is 0 m stays as it is.
//
// Sends N to each neighbour in every step, and waits for it. Memory beside the weights: 2 N, and N for each neighbour.
#include <torch/types.h>

#include <string>

#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"
#include "core/algorithms/plain_sgd.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct QgDsgdmParams {
    double momentum = 0.9;
    void visit(auto&& f) {
        f(momentum, "momentum",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "β", .help = "Share of the last momentum that is kept"});
    }
};

class QgDsgdm final : public Algorithm, public Checkpointed, public OwnUpdate, public MixesOverGraph {
public:
    explicit QgDsgdm(const QgDsgdmParams& params) : momentum_(params.momentum) {
        mixing_.setGraph(graphOfDefaults("ring"));
    }

    void setGraph(std::shared_ptr<const Graph> graph) override { mixing_.setGraph(std::move(graph)); }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (auto refused = refuseAllButPlainSgd("qg_dsgdm", facts)) return refused;
        return mixing_.check(facts);
    }
    void start(StepContext& context) override {
        begin(context);
        mixing_.record(context);
    }
    void update(StepContext& context, Optimizer&) override {
        FlatParams& params = context.params();
        before_.copy_(params.weights());
        params.weights().sub_(params.gradients().add_(velocity_, momentum_), context.learningRate());
    }
    void afterStep(StepContext& context) override {
        FlatParams& params = context.params();
        mixing_.mix(context, context.ownSteps() - 1, params.weights());
        const double rate = context.learningRate();
        context.executor().run({SpanKind::Merge, mergeBytes(2 * kPassesOfUpdate + kPassesOfCopy, params.bytes())}, [&] {
            const at::NoGradGuard guard;
            if (rate == 0) return;
            velocity_.mul_(momentum_).add_(before_.sub_(params.weights()), (1 - momentum_) / rate);
        });
    }
    void drain(StepContext&) override {}
    void save(StepContext&, Archive& archive) override { archive.put("velocity", velocity_); }
    Status load(StepContext& context, const Archive& archive) override {
        begin(context);
        return archive.read("velocity", velocity_);
    }

private:
    void begin(StepContext& context) {
        velocity_ = at::zeros_like(context.params().weights());
        before_ = at::empty_like(velocity_);
    }

    double momentum_;
    GraphMixing mixing_;
    at::Tensor velocity_, before_;  // [N]: m; x of the step
};

const AlgorithmRegistry::Add<QgDsgdm, QgDsgdmParams> kQgDsgdmEntry{
    "qg_dsgdm", "Gossip with a momentum of the mixed weights", "arXiv 2102.04761", gossipPattern()};

}  // namespace
}  // namespace dasgd
