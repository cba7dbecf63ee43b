// CO2 (Sun et al., ICLR 2024, arXiv 2401.16265): SlowMo whose all-reduce takes a whole round, behind the local steps of
// the next. At the end of round t, mᵗ being ⟨w⟩ of the weights that it ended with:
//   u ← βu + Δ/Λ, cut off at ±φ    θᵗ⁺¹ ← θᵗ − α·u    w ← θᵗ⁺¹    mᵗ leaves, and is due a round later
//   Δ = θᵗ − mᵗ⁻¹, from the present weights: _perform_local_optimization of the authors' code (weigao266/
//                 fairscale-CO2, gossip/co2.py) subtracts what was reduced from the θ that it keeps, θᵗ by then
//   Δ = θᵗ⁻¹ − mᵗ⁻¹ with from_present = false: what that round found, from where it began; the paper's, as recalled
// With β = 0, α = 1 the first is two interleaved runs of Local SGD; the second keeps every round's progress.
// Verified: that code (β 0.5, α 1, Λ 1, φ 1 and off), and in reviews of the paper that θ is updated at the end of a
// round, that Λ is a staleness gap computed each time, and that u is clipped. The paper's formulas were not at hand: Λ
// is constant here, as in the code. Its call of clamp drops the result and never acts; here it acts. That code reduces
// the weights while they are trained on, so that what arrives depends on the timing; here mᵗ. Memory: θ, u and m, 3 N.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct Co2Params {
    SlowAverageParams values{.momentum = 0.5, .oneRoundLate = true, .fromPresent = true};
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.momentum, "slow_momentum", outerMomentumField());
        f(values.learningRate, "slow_learning_rate", outerRateField());
        f(values.fromPresent, "from_present",
          {.help =
               "Outer gradients from the present weights, as the authors' code takes them, not from those that their "
               "own round began with"});
        f(values.penalty, "gap_penalty",
          {.min = 0,
           .max = 1e6,
           .minOpen = true,
           .symbol = "Λ",
           .help = "Divides what an all-reduce brings a round late"});
        f(values.clip, "clip",
          {.min = 0, .max = 1e6, .symbol = "φ", .help = "Elements of the slow momentum are cut off there; 0: nowhere"});
    }
};

class Co2 : public SlowAverage {
public:
    explicit Co2(const Co2Params& params) : SlowAverage(params.values) {}
};

const AddWithSyncSteps<Co2, Co2Params> kCo2Entry{"co2", "Slow momentum on averages that arrive a round late",
                                                 "arXiv 2401.16265",
                                                 averagesEvery(ofField("period"), ofField("period"))};

}  // namespace
}  // namespace dasgd
