// SlowMo (Wang et al., ICLR 2020, arXiv 1910.00643) over Local SGD. With η the learning rate of the round's last step:
//   u ← βu + (θ − ⟨w⟩)/η    θ ← θ − αη·u    w ← θ
// The update is that of fairscale (fairscale/experimental/nn/data_parallel/gossip/distributed.py,
// _perform_local_optimization), except for more frequent averages within a round, which are optional there. ηu is kept,
// so that a rate of 0 divides nothing. β = 0, α = 1 is Local SGD, to the last bit; with a constant rate SlowMo is BMUF.
// Memory: θ and u, 2 N.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct SlowMoParams {
    SlowAverageParams values{.momentum = 0.5, .momentumOfRate = true};
    std::string optimizerState = "keep";
    void visit(auto&& f) {
        f(values.period, "period", roundField());
        f(values.momentum, "slow_momentum", outerMomentumField());
        f(values.learningRate, "slow_learning_rate", outerRateField());
        f(optimizerState, "optimizer_state", innerStateField());
    }
};

class SlowMo : public SlowAverage {
public:
    explicit SlowMo(const SlowMoParams& params) : SlowAverage(params.values, params.optimizerState) {}
};

const AddWithSyncSteps<SlowMo, SlowMoParams> kSlowMoEntry{"slowmo", "Local SGD with momentum across its averages",
                                                          "arXiv 1910.00643", averagesEvery(ofField("period"))};

}  // namespace
}  // namespace dasgd
