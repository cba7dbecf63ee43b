// Adam (Kingma, Ba, arXiv 1412.6980) with either kind of weight decay, by LibTorch's fused kernels.
#pragma once

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/optimizers/adam_fields.h"
#include "core/optimizers/optimizer.h"

namespace dasgd {

enum class DecayKind : std::uint8_t {
    Coupled,    // g += λw before the moments: torch.optim.Adam
    Decoupled,  // w *= 1 − ηλ beside them: torch.optim.AdamW
};

template <DecayKind kKind>
class FusedAdam final : public Optimizer, public SteadyStep {
public:
    explicit FusedAdam(AdamFields fields) : fields_(std::move(fields)) {}

    void step(FlatParams& flat, double learningRate) override {
        if (!begun_) begin(flat);
        update(flat, learningRate);
    }
    [[nodiscard]] bool isSteady() const override { return begun_; }
    void steadyStep(FlatParams& flat, const at::Tensor& learningRate) override { update(flat, learningRate); }

    double learningRate() const override { return fields_.learningRate; }
    std::vector<at::Tensor> state() override {
        return begun_ ? std::vector<at::Tensor>{mean_, meanSquare_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return 2; }
    void reset() override { begun_ = false; }
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const override {
        auto copy = std::make_unique<FusedAdam>(fields_);
        copy->mean_ = copyOfState(mean_, begin, end);
        copy->meanSquare_ = copyOfState(meanSquare_, begin, end);
        if (steps_.defined()) copy->steps_ = steps_.clone();
        copy->begun_ = begun_;
        return copy;
    }
    void save(Archive& archive) const override {
        archive.put("steps", begun_ ? steps_.item<std::int64_t>() : 0);
        if (!begun_) return;
        archive.put("mean", mean_);
        archive.put("mean_square", meanSquare_);
    }
    Status load(const Archive& archive, FlatParams& params) override {
        DASGD_ASSIGN(const std::int64_t steps, archive.integer("steps"));
        begun_ = steps > 0;
        if (!begun_) return {};
        DASGD_ASSIGN(mean_, readState(archive, "mean", params));
        DASGD_ASSIGN(meanSquare_, readState(archive, "mean_square", params));
        steps_ = at::full({}, steps, params.weights().options().dtype(at::kFloat));
        return {};
    }

private:
    // Begins the state at zero, after a reset in the memory that it had before.
    void begin(FlatParams& flat) {
        const at::NoGradGuard noGrad;
        begun_ = true;
        if (!mean_.defined()) {
            mean_ = at::empty_like(flat.weights());
            meanSquare_ = at::empty_like(flat.weights());
            steps_ = at::empty({}, flat.weights().options().dtype(at::kFloat));
        }
        for (at::Tensor* state : {&mean_, &meanSquare_, &steps_}) state->zero_();
    }

    // `Rate`: a number or a tensor.
    template <class Rate>
    void update(FlatParams& flat, const Rate& learningRate) {
        const at::NoGradGuard noGrad;
        steps_.add_(1);
        for (const ParameterGroup& group : groupsOf(flat, fields_.noDecay, fields_.weightDecay)) {
            const std::vector<at::Tensor> steps(group.slices.size(), steps_), none;
            launch(group.of(flat.weights()), group.of(flat.gradients()), group.of(mean_), group.of(meanSquare_), none,
                   steps, learningRate, fields_.beta1, fields_.beta2, group.weightDecay, fields_.epsilon,
                   /*amsgrad=*/false, /*maximize=*/false);
        }
        if (fields_.epsilon == 0) flat.clearPadding(flat.weights());  // 0/0
    }

    // Launches the fused kernel of the kind of decay; both take the same arguments.
    template <class... Arguments>
    static void launch(const Arguments&... arguments) {
        if constexpr (kKind == DecayKind::Coupled) {
            at::_fused_adam_(arguments...);
        } else {
            at::_fused_adamw_(arguments...);
        }
    }

    AdamFields fields_;
    at::Tensor mean_, meanSquare_, steps_;
    bool begun_ = false;  // a step was made since the start or the last reset()
};

}  // namespace dasgd
