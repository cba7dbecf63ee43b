// DecentLaM (Yuan et al., ICCV 2021, arXiv 2104.11981): momentum that does not amplify the bias of decentralised SGD on
// unlike data. With y = x − ηg,
//   ĝᵢ = (xᵢ − Σⱼ Wᵢⱼ·yⱼ)/η
// takes the gradient's place, and the optimiser makes its step, with its own momentum. Without momentum that is
// adapt-then-combine; its fixed point is that of adapt-then-combine without momentum.
//
// Checked against a program of others (yukiTakezawa/MomentumTracking). Variant: weight decay is the optimiser's, added
// to ĝ; that program has it in y. Where the rate is 0, ĝ is Wg: its limit for equal weights.
//
// Sends N to each neighbour in every step, and waits for it. Memory beside the weights: N, and N for each neighbour.
#include <torch/types.h>

#include <string>

#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"
#include "core/algorithms/sync_steps.h"
#include "core/cost/memory/memory_passes.h"

namespace dasgd {
namespace {

struct DecentlamParams {
    void visit(auto&&) {}
};

class Decentlam : public Algorithm, public Checkpointed, public MixesOverGraph {
public:
    explicit Decentlam(const DecentlamParams&) { mixing_.setGraph(graphOfDefaults("ring")); }

    void setGraph(std::shared_ptr<const Graph> graph) override { mixing_.setGraph(std::move(graph)); }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.optimizerState > 1 || facts.layerwise) {
            return FieldError{
                "optimizer.name",
                "decentlam gives the optimiser mixed weights for a gradient, which only SGD can take: set "
                "name = \"sgd\" in [optimizer]"};
        }
        if (facts.clips) {
            return FieldError{
                "train.gradient_clip",
                "decentlam gives the optimiser more than the gradient, which is not to be clipped: remove "
                "it"};
        }
        return mixing_.check(facts);
    }
    void start(StepContext& context) override { mixing_.record(context); }

    void afterBackward(StepContext& context) override {
        FlatParams& params = context.params();
        const double rate = context.learningRate();
        if (!sent_.defined()) sent_ = at::empty_like(params.weights());
        context.executor().run({SpanKind::Snapshot, params.bytes()}, [&] {
            const at::NoGradGuard guard;
            if (rate == 0) {
                sent_.copy_(params.gradients());
            } else {
                at::sub_out(sent_, params.weights(), params.gradients(), rate);
            }
        });
        mixing_.mix(context, context.ownSteps() - 1, sent_);
        context.executor().run({SpanKind::Merge, mergeBytes(kPassesOfUpdate + kPassesOfCopy, params.bytes())}, [&] {
            const at::NoGradGuard guard;
            at::Tensor gradients = params.gradients();
            if (rate == 0) {
                gradients.copy_(sent_);
                return;
            }
            at::sub_out(gradients, params.weights(), sent_).div_(rate);
        });
    }
    void afterStep(StepContext&) override {}
    void drain(StepContext&) override {}
    void save(StepContext&, Archive&) override {}
    Status load(StepContext&, const Archive&) override { return {}; }

private:
    GraphMixing mixing_;
    at::Tensor sent_;  // [N]: y, then the mixture
};

const AddWithSyncSteps<Decentlam, DecentlamParams> kDecentlamEntry{
    "decentlam", "Gossip with momentum whose bias is that of SGD", "arXiv 2104.11981", gossipPattern()};

}  // namespace
}  // namespace dasgd
