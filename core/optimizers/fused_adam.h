// Adam (Kingma, Ba, arXiv 1412.6980) with either kind of weight decay, by LibTorch's fused kernels.
#pragma once

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <torch/types.h>

#include <cstdint>
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
class FusedAdam final : public Optimizer {
public:
    explicit FusedAdam(AdamFields fields) : fields_(std::move(fields)) {}

    void step(FlatParams& flat, double learningRate) override {
        const at::NoGradGuard noGrad;
        if (!mean_.defined()) {
            mean_ = at::zeros_like(flat.weights());
            meanSquare_ = at::zeros_like(flat.weights());
            steps_ = at::zeros({}, flat.weights().options().dtype(at::kFloat));
        }
        steps_.add_(1);
        for (const ParameterGroup& group : groupsOf(flat, fields_.noDecay, fields_.weightDecay)) {
            const std::vector<at::Tensor> steps(group.slices.size(), steps_), none;
            update(group.of(flat.weights()), group.of(flat.gradients()), group.of(mean_), group.of(meanSquare_), none,
                   steps, learningRate, fields_.beta1, fields_.beta2, group.weightDecay, fields_.epsilon,
                   /*amsgrad=*/false, /*maximize=*/false);
        }
        if (fields_.epsilon == 0) flat.clearPadding(flat.weights());  // 0/0
    }

    double learningRate() const override { return fields_.learningRate; }
    std::vector<at::Tensor> state() override {
        return mean_.defined() ? std::vector<at::Tensor>{mean_, meanSquare_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return 2; }
    void reset() override {
        mean_.reset();
        meanSquare_.reset();
        steps_.reset();
    }
    void save(Archive& archive) const override {
        archive.put("steps", mean_.defined() ? steps_.item<std::int64_t>() : 0);
        if (!mean_.defined()) return;
        archive.put("mean", mean_);
        archive.put("mean_square", meanSquare_);
    }
    Status load(const Archive& archive, FlatParams& params) override {
        DASGD_ASSIGN(const std::int64_t steps, archive.integer("steps"));
        if (steps == 0) return {};
        DASGD_ASSIGN(mean_, readState(archive, "mean", params));
        DASGD_ASSIGN(meanSquare_, readState(archive, "mean_square", params));
        steps_ = at::full({}, steps, params.weights().options().dtype(at::kFloat));
        return {};
    }

private:
    // Both kernels take the same arguments.
    template <class... Arguments>
    static void update(const Arguments&... arguments) {
        if constexpr (kKind == DecayKind::Coupled) {
            at::_fused_adam_(arguments...);
        } else {
            at::_fused_adamw_(arguments...);
        }
    }

    AdamFields fields_;
    at::Tensor mean_, meanSquare_, steps_;
};

}  // namespace dasgd
