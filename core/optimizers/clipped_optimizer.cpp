#include "core/optimizers/clipped_optimizer.h"

#include <torch/types.h>

#include <utility>
#include <vector>

namespace dasgd {

namespace {

class ClippedOptimizer : public Optimizer {
public:
    ClippedOptimizer(std::unique_ptr<Optimizer> optimizer, double limit)
        : optimizer_(std::move(optimizer)), limit_(limit) {}

    void step(FlatParams& params, double learningRate) override {
        clip(params);
        optimizer_->step(params, learningRate);
    }
    double learningRate() const override { return optimizer_->learningRate(); }
    std::vector<at::Tensor> state() override { return optimizer_->state(); }
    std::int64_t stateTensors() const override { return optimizer_->stateTensors(); }
    void reset() override { optimizer_->reset(); }
    [[nodiscard]] std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const override {
        return std::make_unique<ClippedOptimizer>(optimizer_->copyOfPart(begin, end), limit_);
    }
    void save(Archive& archive) const override { optimizer_->save(archive); }
    Status load(const Archive& archive, FlatParams& params) override { return optimizer_->load(archive, params); }

protected:
    void clip(FlatParams& params) const {
        const at::NoGradGuard guard;
        const at::Tensor norm = params.gradients().norm();
        params.gradients().mul_((limit_ / (norm + 1e-6)).clamp_max_(1.0));
    }

private:
    std::unique_ptr<Optimizer> optimizer_;
    double limit_;
};

// Gradient clipping around an optimiser with steady steps.
class ClippedSteadyOptimizer final : public ClippedOptimizer, public SteadyStep {
public:
    // `steady` is the same object as `optimizer`.
    ClippedSteadyOptimizer(std::unique_ptr<Optimizer> optimizer, SteadyStep& steady, double limit)
        : ClippedOptimizer(std::move(optimizer), limit), steady_(steady) {}

    [[nodiscard]] bool isSteady() const override { return steady_.isSteady(); }
    void steadyStep(FlatParams& params, const at::Tensor& learningRate) override {
        clip(params);
        steady_.steadyStep(params, learningRate);
    }

private:
    SteadyStep& steady_;
};

}  // namespace

std::unique_ptr<Optimizer> clipped(std::unique_ptr<Optimizer> optimizer, double limit) {
    if (auto* steady = dynamic_cast<SteadyStep*>(optimizer.get())) {
        return std::make_unique<ClippedSteadyOptimizer>(std::move(optimizer), *steady, limit);
    }
    return std::make_unique<ClippedOptimizer>(std::move(optimizer), limit);
}

}  // namespace dasgd
