#include <torch/types.h>

#include <cmath>

#include "core/optimizers/adam_fields.h"
#include "core/optimizers/optimizer.h"
#include "core/optimizers/trust_ratio.h"
#include "core/tensors/rounded_sqrt.h"

namespace dasgd {
namespace {

struct LambParams : AdamFields {
    LambParams() {
        epsilon = 1e-6;
        weightDecay = 0.01;
    }
    void visit(auto&& f) {
        visitWith(f, "Added to Adam's direction as λw, before its norm is taken",
                  "Step size before the schedule and the layer's ratio");
    }
};

// m = β1 m + (1−β1)g; v = β2 v + (1−β2)g²; u = m̂ / (√v̂ + ε) + λw; w −= η (‖w‖ / ‖u‖) u of each layer. Algorithm 2 of
// the paper with φ(z) = z. Parameters without decay are not adapted: ratio 1 and λ = 0.
class Lamb final : public Optimizer {
public:
    explicit Lamb(const LambParams& params) : params_(params) {}

    void step(FlatParams& flat, double learningRate) override {
        const at::NoGradGuard noGrad;
        if (!mean_.defined()) {
            mean_ = at::zeros_like(flat.weights());
            meanSquare_ = at::zeros_like(flat.weights());
        }
        ++steps_;
        at::Tensor update = direction(flat.gradients());
        if (params_.epsilon == 0) flat.clearPadding(update);  // 0/0
        for (const ParameterGroup& group : groupsOf(flat, params_.noDecay, params_.weightDecay)) {
            const std::vector<at::Tensor> weights = group.of(flat.weights());
            std::vector<at::Tensor> updates = group.of(update);
            for (std::size_t i = 0; i < weights.size(); ++i) updates[i].add_(weights[i], group.weightDecay);
        }
        const at::Tensor ratios = ratioOrOne(layerNorms(flat, flat.weights()), layerNorms(flat, update));
        const auto& slots = flat.slots();
        for (std::size_t layer = 0; layer < slots.size(); ++layer) {
            if (params_.noDecay.exempts(slots[layer])) continue;
            update.narrow(0, slots[layer].offset, slots[layer].numel).mul_(ratios[static_cast<std::int64_t>(layer)]);
        }
        flat.weights().sub_(update, learningRate);
    }

    double learningRate() const override { return params_.learningRate; }
    std::vector<at::Tensor> state() override {
        return mean_.defined() ? std::vector<at::Tensor>{mean_, meanSquare_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return 2; }
    void reset() override {
        mean_.reset();
        meanSquare_.reset();
        steps_ = 0;
    }
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const override {
        auto copy = std::make_unique<Lamb>(params_);
        copy->mean_ = copyOfState(mean_, begin, end);
        copy->meanSquare_ = copyOfState(meanSquare_, begin, end);
        copy->steps_ = steps_;
        return copy;
    }
    void save(Archive& archive) const override {
        archive.put("steps", steps_);
        if (!mean_.defined()) return;
        archive.put("mean", mean_);
        archive.put("mean_square", meanSquare_);
    }
    Status load(const Archive& archive, FlatParams& params) override {
        DASGD_ASSIGN(steps_, archive.integer("steps"));
        if (steps_ == 0) return {};
        DASGD_ASSIGN(mean_, readState(archive, "mean", params));
        DASGD_ASSIGN(meanSquare_, readState(archive, "mean_square", params));
        return {};
    }

private:
    // Adam's update, with the moments corrected for their start at zero.
    at::Tensor direction(const at::Tensor& gradients) {
        mean_.mul_(params_.beta1).add_(gradients, 1 - params_.beta1);
        meanSquare_.mul_(params_.beta2).addcmul_(gradients, gradients, 1 - params_.beta2);
        const auto steps = static_cast<double>(steps_);
        at::Tensor root = meanSquare_.div(1 - std::pow(params_.beta2, steps));
        takeRoot(root);
        root.add_(params_.epsilon);
        return mean_.div(1 - std::pow(params_.beta1, steps)).div_(root);
    }

    LambParams params_;
    at::Tensor mean_, meanSquare_;
    std::int64_t steps_ = 0;
};

const OptimizerRegistry::Add<Lamb, LambParams> kLambEntry{
    "lamb", "Layer-wise adaptive Adam for large batches", "arXiv 1904.00962", {.layerwise = true}};

}  // namespace
}  // namespace dasgd
