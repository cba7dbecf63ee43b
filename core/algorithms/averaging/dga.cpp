// Delayed gradient averaging (Zhu, Lin, Lu, Lin, Han, NeurIPS 2021): a worker steps with its own gradients at once; d
// steps after they left, those of a whole period are replaced by their mean over all ranks. The project's page
// (dga.hanlab.ai) tells period and delay; the paper's own equations could not be read.
//
// Variant: the replacement enters as part of a gradient, gᵢ ← gᵢ + ⟨Gᵢ⟩ − Gᵢ with G the sum of a period's gradients, so
// that it goes through momentum, weight decay and learning rate as the gradients did that it replaces. With plain SGD
// at a constant learning rate this is the merge family's delta. With any optimiser that is linear in the gradients the
// mean of the workers is left alone; with Adam it is not, and a sum of gradients is out of its scale.
//
// Memory: 3 N beside weights and gradients. Sends one all-reduce a period, overlapped with the update and d steps.
#include <torch/types.h>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct DgaParams {
    std::int64_t period = 4, delay = 3;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps whose gradients leave together", "K"));
        f(delay, "delay",
          {.min = 1,
           .max = 1e9,
           .unit = "steps",
           .symbol = "D",
           .help = "Steps until their mean replaces them; at most the period"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        return DelayedAverageParams{.period = period, .delay = delay}.check();
    }
};

class Dga final : public DelayedAverage {
public:
    explicit Dga(const DgaParams& params)
        : DelayedAverage({.period = params.period, .delay = params.delay, .localWeight = 0, .correction = 1}) {}

    void start(StepContext& context) override { sum_ = at::zeros_like(context.params().gradients()); }
    // The engine's step, before the optimiser's: what is merged is the gradient.
    void afterBackward(StepContext& context) override {
        context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            sum_.add_(context.params().gradients());
        });
        DelayedAverage::afterStep(context);
    }
    void afterStep(StepContext&) override {}

    void save(StepContext& context, Archive& archive) override {
        DelayedAverage::save(context, archive);
        archive.put("sum", sum_);
    }
    Status load(StepContext& context, const Archive& archive) override {
        DASGD_TRY(DelayedAverage::load(context, archive));
        sum_ = at::empty_like(context.params().gradients());
        return archive.read("sum", sum_);
    }

private:
    void take(StepContext&, at::Tensor out, double scale) override {
        at::mul_out(out, sum_, at::scalar_tensor(scale, sum_.options()));
        snapshot().copy_(sum_);
        sum_.zero_();
    }
    void mergeWeights(StepContext& context, at::Tensor mean) override {
        context.params().gradients().add_(mean.sub_(snapshot()));
    }

    at::Tensor sum_;  // [N]: own gradients since the newest snapshot
};

const AlgorithmRegistry::Add<Dga, DgaParams> kDgaEntry{"dga", "Local gradients replaced by their mean some steps later",
                                                       "Zhu et al., NeurIPS 2021",
                                                       averagesEvery(ofField("period"), ofField("delay"))};

}  // namespace
}  // namespace dasgd
