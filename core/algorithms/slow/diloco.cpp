// DiLoCo (Douillard et al., arXiv 2311.08105): an outer SGD with Nesterov momentum on the outer gradient Δ = θ − ⟨w⟩.
//   u ← βu + Δ    θ ← θ − α(Δ + βu)    w ← θ
// The local optimiser is any, AdamW in the paper, and keeps its state. Parameters as in OpenDiloco
// (PrimeIntellect-ai/OpenDiloco, open_diloco/train_diloco_torch.py: H = 500, α = 0.7, β = 0.9), which averages θ − w in
// place of w. Its clipping of local gradients is not part of it here. β = 0, α = 1 is Local SGD, to the last bit.
// With penalty = true each parameter's Δ is weighed as in EDiT (pseudo_gradient_penalty.h).
// Memory: θ and u, 2 N; with the penalty Δ too.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct DiLoCoParams {
    SlowAverageParams values{.learningRate = 0.7, .momentum = 0.9, .nesterov = true};
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.learningRate, "outer_learning_rate", outerRateField());
        f(values.momentum, "outer_momentum", outerMomentumField());
        f(values.nesterov, "nesterov", {.help = "Nesterov momentum in the outer steps, as published"});
        values.gradientPenalty.visit(f);
    }
};

class DiLoCo : public SlowAverage {
public:
    explicit DiLoCo(const DiLoCoParams& params) : SlowAverage(params.values) {}
};

CommunicationPattern patternOfDiLoCo() {
    CommunicationPattern pattern = averagesEvery(ofField("period"));
    pattern.limits = {{.field = "penalty",
                       .value = "true",
                       .why = "with penalty = true workers also wait for each other's norms, which the formula leaves "
                              "out"}};
    return pattern;
}

const AddWithSyncSteps<DiLoCo, DiLoCoParams> kDiLoCoEntry{"diloco", "Long local rounds, Nesterov between them",
                                                          "arXiv 2311.08105", patternOfDiLoCo()};

}  // namespace
}  // namespace dasgd
