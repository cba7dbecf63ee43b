// Overlap-Local-SGD (Wang, Liang, Joshi, arXiv 2002.09539). Workers x, an anchor z, slow momentum u; every τ steps,
// once the anchor that left τ steps ago has arrived:
//
//   x ← (1−α)·x + α·z;   u ← β·u + (z − x)/η;   z ← ⟨z − a·η·u⟩, on its way during the next τ steps
//
// The merge family's blend with d = τ, ξ = 1 − α and a snapshot of the start. With β = 0 and a = 1 what leaves is x
// itself. Checked against JYWa/Overlap_Local_SGD, distoptim/OverlapLocalSGD.py, which has a = 1; α = 0.6 and β = 0.7
// are of its launch_baseline.sh. Kept is p = ηu, rescaled as η changes, so that a schedule may reach η = 0; of what was
// kept at η = 0 there is no u to go on with, and it begins anew.
//
// Memory: N beside the weights, 2 N with slow momentum. Sends one all-reduce a period, overlapped with all of it.
#include <torch/types.h>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"
#include "core/gpu/flat_ops.h"

namespace dasgd {
namespace {

struct OverlapLocalSgdParams {
    std::int64_t period = 4;
    double pull = 0.6;
    double slowMomentum = 0.7;
    double slowLearningRate = 1;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between updates of the anchor"));
        f(pull, "pull", {.min = 0, .max = 1, .symbol = "α", .help = "Weight of the anchor when a worker meets it"});
        f(slowMomentum, "slow_momentum",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "β", .help = "Momentum of the anchor's own steps"});
        f(slowLearningRate, "slow_learning_rate",
          {.min = 0, .max = 1e3, .minOpen = true, .symbol = "a", .help = "Factor of the anchor's steps; published: 1"});
    }
};

class OverlapLocalSgd : public DelayedMean {
public:
    explicit OverlapLocalSgd(const OverlapLocalSgdParams& params)
        : DelayedMean(blendOverPeriod(params.period, params.pull)), fields_(params) {}

private:
    [[nodiscard]] bool hasSlowSteps() const { return fields_.slowMomentum > 0 || fields_.slowLearningRate != 1; }
    OwnState ownState() override {
        if (!hasSlowSteps()) return {};
        return {{"slow", &slow_}, {"slow/rate", &rate_}};
    }

    void take(StepContext& context, at::Tensor out, double scale) override {
        // At the start the anchor is the weights, and has made no slow step.
        if (!hasSlowSteps() || context.ownSteps() == 0) return DelayedAverage::take(context, out, scale);
        const double rate = context.learningRate(), before = rate_.item<double>();
        const double kept = before > 0 ? fields_.slowMomentum * rate / before : 0;
        combineFlat({{slow_, kept}, {out}, {context.params().weights(), -1}},
                    {.out = out, .scale = scale, .copy = slow_, .base = out, .share = -fields_.slowLearningRate});
        rate_.fill_(rate);
    }

    OverlapLocalSgdParams fields_;
    at::Tensor slow_;                               // [N]: p = ηu
    at::Tensor rate_ = at::zeros({}, at::kDouble);  // η of the last slow step
};

const AddWithSyncSteps<OverlapLocalSgd, OverlapLocalSgdParams> kOverlapLocalSgdEntry{
    "overlap_local_sgd", "Workers pulled to an anchor that is averaged meanwhile", "arXiv 2002.09539",
    averagesOfWeights(ofField("period"))};

}  // namespace
}  // namespace dasgd
