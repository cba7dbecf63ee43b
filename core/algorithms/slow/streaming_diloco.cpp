// Streaming DiLoCo (Douillard et al., arXiv 2501.18512): DiLoCo of F fragments of the weights in turn, one every H/F
// steps. A fragment leaves δ steps before its outer step, at a multiple of H/F, and its weights, which trained on
// meanwhile, are mixed with the result:
//   Δ = θ − ⟨w⟩ of δ steps ago    u ← βu + Δ    θ ← θ − α(Δ + βu)    w ← (1 − a)θ + a·w
// The update is torchft's (pytorch/torchft, local_sgd.py, _StreamingDiLoCoFragment), whose defaults are δ = 0 and a =
// 0.
// Verified: in summaries of the paper that outer gradients are floats of 4 bits and fragments strided; a = 0.5 as the
// default of another implementation alone. Variant: nothing is quantised, and fragments are consecutive layers of about
// equal size. With F = 1, α = 1, β = 0 it is DaSGD, to the last bit: its blend ξ = a with delay δ and snapshots at
// H − δ. Memory: θ, u and a fragment, 2 N + N/F.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct StreamingDiLoCoParams {
    SlowAverageParams values{
        .learningRate = 0.7, .momentum = 0.9, .nesterov = true, .fragments = 2, .delay = 1, .localWeight = 0.5};
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.fragments, "fragments",
          {.min = 1, .max = 1e6, .symbol = "F", .help = "Parts of the weights, averaged in turn; divides the period"});
        f(values.delay, "delay",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .symbol = "δ",
           .help = "Lag of a fragment's outer step behind its snapshot; less than period / fragments"});
        f(values.localWeight, "local_weight",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "a", .help = "Weight of the local model in the merge"});
        f(values.learningRate, "outer_learning_rate", outerRateField());
        f(values.momentum, "outer_momentum", outerMomentumField());
        f(values.nesterov, "nesterov", {.help = "Nesterov momentum in the outer steps, as in DiLoCo"});
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

class StreamingDiLoCo : public SlowAverage {
public:
    explicit StreamingDiLoCo(const StreamingDiLoCoParams& params) : SlowAverage(params.values) {}
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
     .assumes = {"All fragments have the same size."}}};

}  // namespace
}  // namespace dasgd
