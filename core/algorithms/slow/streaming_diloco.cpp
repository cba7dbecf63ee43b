// Streaming DiLoCo (Douillard et al., arXiv 2501.18512): DiLoCo of F fragments of the weights in turn, one every H/F
// steps. A fragment leaves δ steps before its outer step, and its weights, which trained on meanwhile, are mixed with
// the result:
//   Δ = θ − ⟨w⟩ of δ steps ago    u ← βu + Δ    θ ← θ − α(Δ + βu)    w ← (1 − a)θ + a·w
// The update is torchft's (pytorch/torchft, local_sgd.py, _StreamingDiLoCoFragment), whose defaults are δ = 0 and a =
// 0, and which has one fragment under way; here there may be several, δ < H. Where F does not divide H the i-th outer
// step of a round comes after step ⌊i·H/F⌋.
//
//   order     "strided": layer i belongs to fragment i mod F, the paper's mild preference
//   launch    "backward": layers leave under the backward pass of their last step, as in the simulation behind table 4
//             (layers_ahead.h). The weights are those of "step", times are not
//   evaluate  "outer": θ, which does better than the mean of the workers by 0.01 in table 3
//   merge     "progress": the corrected merge of CoCoDC (Zhu et al., arXiv 2504.17672), of which λ = 0 keeps what was
//             trained meanwhile whole, as the delta merge of core/algorithms/averaging
//
// Verified: in summaries of the paper that outer gradients are floats of 4 bits and fragments strided ([compression]
// e3m0 is that format); a = 0.5 as the default of another implementation alone; the corrected merge in an unofficial
// implementation, which also scales λ by the norms of each layer. Variants: consecutive layers of about equal size by
// default; λ as it is given; fragments in a fixed order, where CoCoDC takes the one that changes most. With F = 1, α =
// 1, β = 0 it is DaSGD, to the last bit: its blend ξ = a, or with "progress" its delta, with delay δ and snapshots at H
// − δ. Memory: θ, u and a fragment, 2 N + N/F; slow_average.h has the rest.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct StreamingDiLoCoParams {
    SlowAverageParams values{
        .learningRate = 0.7, .momentum = 0.9, .nesterov = true, .fragments = 2, .delay = 1, .localWeight = 0.5};
    std::string evaluate = "mean";
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.fragments, "fragments",
          {.min = 1, .max = 1e6, .symbol = "F", .help = "Parts of the weights, averaged in turn; at most the period"});
        f(values.delay, "delay",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .symbol = "δ",
           .help = "Lag of a fragment's outer step behind its snapshot; less than the period. From period / fragments "
                   "on several fragments are under way at once"});
        f(values.order, "order",
          {.help = "Layers of a fragment: neighbours, cut to about equal sizes; strided: every F-th layer",
           .choices = {"consecutive", "strided"}});
        f(values.launch, "launch",
          {.help = "When a fragment leaves: whole, behind its last step; backward: layer by layer under the backward "
                   "pass of that step, as each gradient is ready and the optimiser has stepped the layer",
           .choices = {"step", "backward"}});
        f(values.merge, "merge",
          {.help =
               "What the local model is mixed to: blend: a of it and 1 - a of the outer weights; progress: the outer "
               "weights and what was trained since the snapshot",
           .choices = {"blend", "progress"}});
        f(values.localWeight, "local_weight",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .symbol = "a",
           .help = "Weight of the local model in a blend; merge = \"progress\" does not read it"});
        f(values.correction, "correction",
          {.min = 0,
           .max = 1e12,
           .symbol = "λ",
           .help = "With merge = \"progress\", what was trained is corrected by λ, its square and how far the outer "
                   "weights are from the snapshot"});
        f(values.learningRate, "outer_learning_rate", outerRateField());
        f(values.momentum, "outer_momentum", outerMomentumField());
        f(values.nesterov, "nesterov", {.help = "Nesterov momentum in the outer steps, as in DiLoCo"});
        f(evaluate, "evaluate",
          {.help =
               "Weights that are evaluated and that the run ends with: the mean of the workers, or the outer weights",
           .choices = {"mean", "outer"}});
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

class StreamingDiLoCo : public SlowAverage, public NamesWeights {
public:
    explicit StreamingDiLoCo(const StreamingDiLoCoParams& params)
        : SlowAverage(params.values), namesOuter_(params.evaluate == "outer") {}

    [[nodiscard]] bool namesWeights() const override { return namesOuter_; }
    // The outer weights are the same on all ranks, as the weights are before start().
    at::Tensor namedWeights(StepContext& context) override {
        if (context.comm().rank() != Rank{0}) return {};
        return outerWeights().defined() ? outerWeights() : context.params().weights();
    }

private:
    bool namesOuter_;
};

const AddWithSyncSteps<StreamingDiLoCo, StreamingDiLoCoParams> kStreamingDiLoCoEntry{
    "streaming_diloco",
    "DiLoCo of one fragment at a time, sent ahead of its outer step",
    "arXiv 2501.18512",
    {.kind = CommunicationPattern::Kind::Averages,
     .period = ofField("period"),
     .delay = ofField("delay"),
     .fragments = ofField("fragments"),
     .delayBelowInterval = true,
     .limits = {{.field = "launch",
                 .value = "backward",
                 .why =
                     "with launch = \"backward\" its layers leave under a backward pass: `dasgd bandwidth` has their "
                     "time"}},
     .assumes = {"All fragments have the same size."}}};

}  // namespace
}  // namespace dasgd
