// Delayed gradient averaging (Zhu, Lin, Lu, Lin, Han, NeurIPS 2021): a worker steps with its own gradients at once; d
// steps after they left, those of a whole period are replaced by their mean over all ranks. Verified: period and delay
// on the project's page (dga.hanlab.ai); in notes of the last author's course (MIT 6.S965, lecture 14) that the mean is
// applied when it arrives and the own gradients in it are taken out. The paper's equations were not at hand. It allows
// delays of several periods, here one at most; without delay it is FedAvg, which is local_sgd here.
//
// Variant: the replacement enters as part of a gradient, gᵢ ← gᵢ + ⟨Gᵢ⟩ − Gᵢ with G the sum of a period's gradients, so
// that it goes through momentum, weight decay and learning rate as the gradients did that it replaces. With plain SGD
// at a constant learning rate this is the merge family's delta. With any optimiser that is linear in the gradients the
// mean of the workers is left alone; with Adam it is not, and a sum of gradients is out of its scale.
//
// Memory: 3 N beside weights and gradients. Sends one all-reduce a period, overlapped with the update and d steps.
#include <torch/types.h>

#include <utility>

#include "core/algorithms/averaging/coded_mean.h"
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"
#include "core/gpu/flat_ops.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct DgaParams {
    DelayedAverageParams values{.period = 4, .delay = 3, .localWeight = 0, .correction = 1};
    void visit(auto&& f) {
        f(values.period, "period", periodField("Local steps whose gradients leave together", "K"));
        f(values.delay, "delay", delayField("Steps until their mean replaces them; at most the period", "D", 1));
    }
    [[nodiscard]] std::optional<FieldError> check() const { return values.check(); }
};

class Dga : public DelayedMean {
public:
    explicit Dga(const DgaParams& params) : DelayedMean(params.values) {}

    [[nodiscard]] bool averagesGradientsOf(std::int64_t) const override { return true; }
    [[nodiscard]] bool weighsRanks() const override { return false; }

    // Runs the engine's step before the optimiser's: the gradient is merged.
    void afterBackward(StepContext& context) override {
        context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            const at::Tensor& gradients = context.params().gradients();
            if (beginsSum(context)) {
                at::add_out(sum_, gradients, zero_);
            } else {
                sum_.add_(gradients);
            }
        });
        DelayedAverage::afterStep(context);
    }
    void afterStep(StepContext&) override {}

    void save(StepContext& context, Archive& archive) override {
        DelayedAverage::save(context, archive);
        if (launchedAt() == context.step()) archive.put("sum", at::zeros_like(sum_));
    }

private:
    OwnState ownState() override { return {{"sum", &sum_}}; }
    [[nodiscard]] bool averagesGradients() const override { return true; }
    // True where the values in the sum have no meaning, as they left with the step before.
    [[nodiscard]] bool beginsSum(const StepContext& context) const { return launchedAt() == context.step() - 1; }
    // The tensors change places, so that nothing is copied and nothing cleared.
    void take(StepContext&, at::Tensor out, double scale) override {
        std::swap(snapshot(), sum_);
        snapshotFlat(snapshot(), out, {}, scale);
    }
    void mergeWeights(StepContext& context, at::Tensor mean) override {
        mergeFlat(context.params().gradients(), mean, snapshot(), 0, 1);
    }

    at::Tensor sum_;                   // [N]: own gradients since the newest snapshot, from the step behind it on
    at::Tensor zero_ = at::zeros({});  // on the host; 0 + g, as a cleared sum would have it: a copy keeps −0
};

const AddWithSyncSteps<Dga, DgaParams> kDgaEntry{
    "dga", "Local gradients replaced by their mean some steps later", "Zhu et al., NeurIPS 2021",
    withCoding(kCodingOfSums, averagesEvery(ofField("period"), ofField("delay")))};

}  // namespace
}  // namespace dasgd
