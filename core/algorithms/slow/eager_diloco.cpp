// Eager DiLoCo (Kale, Douillard and Donchev, arXiv 2502.12996): DiLoCo whose all-reduce takes a whole round, behind the
// local steps of the next. The outer step of worker i at the end of round t mixes its own outer gradient, which it has,
// with those of the others, which are a round old:
//   Δᵢᵗ = θᵢᵗ − wᵢ    Δ̃ᵢ = ⟨Δᵗ⁻¹⟩ + (Δᵢᵗ − Δᵢᵗ⁻¹)/P    uᵢ ← βuᵢ + Δ̃ᵢ    θᵢᵗ⁺¹ ← θᵢᵗ − α(Δ̃ᵢ + βuᵢ)    wᵢ ← θᵢᵗ⁺¹
// with Δ⁰ = 0. Verified: the abstract, and in a published restatement of the paper's equations this Δ̃ᵢ, that is the own
// fresh Δ and the others' stale ones with the weight 1/P each, and that workers' outer steps differ. No code of the
// authors is public. A summary gives α = 0.4, tuned; the default is DiLoCo's. θ differs between workers by about α/P of
// their own last Δ; what is evaluated is ⟨w⟩. With P = 1 it is DiLoCo. Memory: θ, u, Δ and the own Δ, 4 N.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct EagerDiLoCoParams {
    SlowAverageParams values{
        .learningRate = 0.7, .momentum = 0.9, .nesterov = true, .oneRoundLate = true, .eager = true};
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.learningRate, "outer_learning_rate", outerRateField());
        f(values.momentum, "outer_momentum", outerMomentumField());
        f(values.nesterov, "nesterov", {.help = "Nesterov momentum in the outer steps, as in DiLoCo"});
    }
};

class EagerDiLoCo : public SlowAverage {
public:
    explicit EagerDiLoCo(const EagerDiLoCoParams& params) : SlowAverage(params.values) {}
};

const AddWithSyncSteps<EagerDiLoCo, EagerDiLoCoParams> kEagerDiLoCoEntry{
    "eager_diloco", "DiLoCo with own outer gradients at once, others' a round late", "arXiv 2502.12996",
    averagesEvery(ofField("period"), ofField("period"))};

}  // namespace
}  // namespace dasgd
