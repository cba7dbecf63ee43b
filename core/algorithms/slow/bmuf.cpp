// BMUF, blockwise model-update filtering (Chen and Huo, ICASSP 2016, doi 10.1109/ICASSP.2016.7472805). A block is a
// round:
//   G = ⟨w⟩ − θ    D ← βD + αG    θ ← θ + D         classical block momentum
//                                 θ ← θ + αG + βD   Nesterov block momentum, θ being the weights that are sent out
// Classical as in Microsoft's code (CNTK-components/CNTK1bitSGD, BlockMomentumSGD.h), whose (1 − β)α times the sum over
// P workers is αG with β = 1 − 1/P. Verified: the classical form in that code. Nesterov is the paper's as recalled,
// whose text was not at hand: it sends out W + βD with W ← W + D, which is the line above. Two implementations that
// were read, Microsoft's and Tencent's (tencent-ailab/pika, trainer/bmuf.py), add (1 + β)D to θ each round instead, so
// that what was looked ahead is never taken back; that is not offered. β = 0, α = 1 is Local SGD, to the last bit.
// Memory: θ and D, 2 N.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct BmufParams {
    SlowAverageParams values{.momentum = 0.5};
    std::string optimizerState = "keep";
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.momentum, "slow_momentum", outerMomentumField());
        f(values.learningRate, "slow_learning_rate", outerRateField());
        f(values.nesterov, "nesterov", {.help = "Nesterov block momentum in place of classical"});
        f(optimizerState, "optimizer_state", innerStateField());
    }
};

class Bmuf : public SlowAverage {
public:
    explicit Bmuf(const BmufParams& params) : SlowAverage(params.values, params.optimizerState) {}
};

const AddWithSyncSteps<Bmuf, BmufParams> kBmufEntry{
    "bmuf", "Blockwise model-update filtering", "doi 10.1109/ICASSP.2016.7472805", averagesEvery(ofField("period"))};

}  // namespace
}  // namespace dasgd
