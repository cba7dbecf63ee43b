// CO2 (Sun et al., ICLR 2024, arXiv 2401.16265): SlowMo whose all-reduce takes a whole round, behind the local steps of
// the next. At the end of round t, with Δᵗ = θᵗ − ⟨w⟩ of the weights that the round ended with:
//   u ← βu + Δᵗ⁻¹/Λ, cut off at ±φ    θᵗ⁺¹ ← θᵗ − α·u    w ← θᵗ⁺¹    Δᵗ leaves, and is due a round later
// Λ is the penalty on staleness, constant as in the authors' code (weigao266/fairscale-CO2, gossip/co2.py: β 0.5, α 1,
// Λ 1, φ 1 and off); in the paper it grows with the staleness, by a formula that was not at hand, so it is left out.
// The cut-off is the paper's: the code's call of clamp drops its result and never acts. That each Δ is taken from the θ
// that its own round began with is the paper's rule from memory. That code reduces the weights while they are trained
// on, and its default reduces them again, blocking, as SlowMo does; neither is followed. Memory: θ, u and Δ, 3 N.
#include "core/algorithms/slow/slow_average.h"

namespace dasgd {
namespace {

struct Co2Params {
    SlowAverageParams values{.momentum = 0.5, .oneRoundLate = true};
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.momentum, "slow_momentum", outerMomentumField());
        f(values.learningRate, "slow_learning_rate", outerRateField());
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

class Co2 final : public SlowAverage {
public:
    explicit Co2(const Co2Params& params) : SlowAverage(params.values) {}
};

const AlgorithmRegistry::Add<Co2, Co2Params> kCo2Entry{"co2", "Slow momentum on averages that arrive a round late",
                                                       "arXiv 2401.16265",
                                                       averagesEvery(ofField("period"), ofField("period"))};

}  // namespace
}  // namespace dasgd
