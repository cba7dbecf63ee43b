// Synchronous elastic averaging SGD (Zhang, Choromanska, LeCun, NeurIPS 2015, arXiv 1412.6651). Every τ steps, with the
// values before it:
//
//   xᵢ ← (1−α)·xᵢ + α·z;   z ← (1−Pα)·z + α·Σxᵢ
//
// After the pull the centre is one all-reduce, z = Σᵢ[(1/P − α − α²/(1−α))·z + α/(1−α)·xᵢ], which is not needed
// before the next pull: it overlaps with a whole period and changes no value. So in JYWa/Overlap_Local_SGD,
// distoptim/EASGD.py, which this form was checked against. The merge family's blend with d = τ, ξ = 1 − α and a
// snapshot of the start. The centre is what is evaluated and what the run ends with, as of the newest exchange: the
// one still on its way is the sum of what left each rank, which an evaluation adds up by itself.
//
// Memory: 2 N beside the weights. With the default α, Pα is 0.4 for four workers; LSGD's script has 0.43.
#include <torch/types.h>

#include <string>

#include "core/algorithms/averaging/coded_mean.h"
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"
#include "core/gpu/flat_ops.h"

namespace dasgd {
namespace {

struct EasgdParams {
    std::int64_t period = 4;
    double pull = 0.1;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between two pulls"));
        f(pull, "pull",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .symbol = "α",
           .help = "Elastic pull between worker and centre; at most 1 / workers"});
    }
};

class Easgd : public DelayedMean, public NamesWeights {
public:
    explicit Easgd(const EasgdParams& params)
        : DelayedMean(blendOverPeriod(params.period, params.pull)), pull_(params.pull) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.steps > 0 && facts.steps < params().period) {
            return FieldError{"period", "period is " + std::to_string(params().period) + " and a worker makes " +
                                            std::to_string(facts.steps) +
                                            " steps: the centre, which is what is evaluated, would stay where it "
                                            "starts; allowed: 1 to " +
                                            std::to_string(facts.steps)};
        }
        const double most = 1.0 / facts.workers;
        if (pull_ <= most) return std::nullopt;
        return FieldError{"pull", "pull is " + std::to_string(pull_) + "; allowed: 0 to 1 / workers (" +
                                      std::to_string(most) + "), above which the centre overshoots"};
    }

    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override {
        if (const auto refused = DelayedMean::checkCompression(settings)) return refused;
        return checkKnowsSent(settings, "the centre that is evaluated is the sum of what each worker sent");
    }

    // The centre is pulled by every worker alike.
    [[nodiscard]] bool weighsRanks() const override { return false; }

    // This rank's summand of the newest centre. Before start() the centre is one rank's weights.
    at::Tensor namedWeights(StepContext& context) override {
        if (left_.defined()) return left_;
        return context.comm().rank() == Rank{0} ? context.params().weights() : at::Tensor();
    }

private:
    OwnState ownState() override { return {{"left", &left_}}; }

    void take(StepContext& context, at::Tensor out, double scale) override {
        const at::Tensor& weights = context.params().weights();
        if (context.ownSteps() == 0) {
            DelayedAverage::take(context, out, scale);
            left_.copy_(out);
            return;
        }
        // A rank's share of the centre, or that times the number of ranks where it is coded.
        const double shares = scale == 1 ? context.comm().size() : 1;
        const double ofWorker = pull_ / (1 - pull_);
        combineFlat({{out, scale - shares * (pull_ + pull_ * ofWorker)}, {weights, shares * ofWorker}},
                    {.out = out, .copy = left_});
    }

    // The centre that the others meet is what was coded.
    void codedAs(StepContext& context, CodedExchange& coded) override {
        dynamic_cast<CodedMean&>(coded).sent(left_, 1.0 / context.comm().size());
    }

    [[nodiscard]] std::int64_t codedAsBytes(const CodedExchange& coded) const override {
        return dynamic_cast<const CodedMean&>(coded).sentBytes();
    }

    double pull_;
    at::Tensor left_;  // [N]: this rank's share of the newest centre, as it left
};

const AddWithSyncSteps<Easgd, EasgdParams> kEasgdEntry{
    "easgd", "Elastic averaging around a centre", "arXiv 1412.6651",
    withoutCoding(kDecodesItsOwn, averagesEvery(ofField("period"), ofField("period")))};

}  // namespace
}  // namespace dasgd
