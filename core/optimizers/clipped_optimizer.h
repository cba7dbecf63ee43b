// Gradient clipping by the global norm (Pascanu, Mikolov, Bengio, arXiv 1211.5063) around any optimiser.
#pragma once

#include <torch/types.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/optimizers/optimizer.h"

namespace dasgd {

class ClippedOptimizer final : public Optimizer {
public:
    // `limit` > 0.
    ClippedOptimizer(std::unique_ptr<Optimizer> optimizer, double limit)
        : optimizer_(std::move(optimizer)), limit_(limit) {}

    // Scales the gradients in place: g *= min(1, limit / (‖g‖₂ + 1e-6)), as torch.nn.utils.clip_grad_norm_ does.
    void step(FlatParams& params, double learningRate) override {
        const at::NoGradGuard guard;
        const at::Tensor norm = params.gradients().norm();
        params.gradients().mul_((limit_ / (norm + 1e-6)).clamp_max_(1.0));
        optimizer_->step(params, learningRate);
    }
    double learningRate() const override { return optimizer_->learningRate(); }
    std::vector<at::Tensor> state() override { return optimizer_->state(); }
    std::int64_t stateTensors() const override { return optimizer_->stateTensors(); }
    void reset() override { optimizer_->reset(); }
    void save(Archive& archive) const override { optimizer_->save(archive); }
    Status load(const Archive& archive, FlatParams& params) override { return optimizer_->load(archive, params); }

private:
    std::unique_ptr<Optimizer> optimizer_;
    double limit_;
};

}  // namespace dasgd
