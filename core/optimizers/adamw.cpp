#include <ATen/ops/_fused_adamw.h>
#include <torch/types.h>

#include "core/optimizers/optimizer.h"

namespace dasgd {
namespace {

struct AdamwParams {
    double learningRate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weightDecay = 0.01;

    void visit(auto&& f) {
        f(learningRate, "learning_rate",
          {.min = 0, .max = 1e6, .symbol = "η", .help = "Step size before the schedule"});
        f(beta1, "beta1", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β1", .help = "Decay of the mean gradient"});
        f(beta2, "beta2", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β2", .help = "Decay of the mean square"});
        f(epsilon, "epsilon", {.min = 0, .max = 1, .symbol = "ε", .help = "Keeps the division away from zero"});
        f(weightDecay, "weight_decay",
          {.min = 0, .max = 1e6, .symbol = "λ", .help = "Shrinks the weights by ηλ a step"});
    }
};

// w *= 1 − ηλ, then Adam. The order of torch.optim.AdamW.
class Adamw final : public Optimizer {
public:
    explicit Adamw(const AdamwParams& params) : params_(params) {}

    void step(FlatParams& flat, double learningRate) override {
        const at::NoGradGuard noGrad;
        if (!mean_.defined()) {
            mean_ = at::zeros_like(flat.weights());
            meanSquare_ = at::zeros_like(flat.weights());
            steps_ = at::zeros({}, at::kFloat);
        }
        steps_.add_(1);
        at::_fused_adamw_({flat.weights()}, {flat.gradients()}, {mean_}, {meanSquare_}, {}, {steps_}, learningRate,
                          params_.beta1, params_.beta2, params_.weightDecay, params_.epsilon, /*amsgrad=*/false,
                          /*maximize=*/false);
    }

    double learningRate() const override { return params_.learningRate; }
    std::vector<at::Tensor> state() override {
        return mean_.defined() ? std::vector<at::Tensor>{mean_, meanSquare_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return 2; }
    void reset() override {
        mean_.reset();
        meanSquare_.reset();
        steps_.reset();
    }

private:
    AdamwParams params_;
    at::Tensor mean_, meanSquare_, steps_;
};

const OptimizerRegistry::Add<Adamw, AdamwParams> kAdamwEntry{"adamw", "Adam with decoupled weight decay",
                                                             "arXiv 1711.05101"};

}  // namespace
}  // namespace dasgd
