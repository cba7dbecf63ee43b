#include "core/step/flat_params.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include "core/base/check.h"

namespace dasgd {

FlatParams::FlatParams(torch::nn::Module& module, at::ScalarType type) {
    const at::NoGradGuard noGrad;
    std::int64_t total = 0;
    for (const at::Tensor& parameter : module.parameters()) {
        if (!parameter.requires_grad()) continue;
        slots_.push_back({parameter, total, parameter.numel()});
        total += parameter.numel();
    }
    DASGD_CHECK(total > 0 && "a model without parameters");

    weights_ = at::empty({total}, at::TensorOptions(type));
    gradients_ = at::zeros({total}, at::TensorOptions(type));
    for (Slot& slot : slots_) {
        const at::Tensor view = weights_.narrow(0, slot.offset, slot.numel).view(slot.parameter.sizes());
        view.copy_(slot.parameter);
        slot.parameter.set_data(view);
        slot.parameter.mutable_grad() = gradients_.narrow(0, slot.offset, slot.numel).view(slot.parameter.sizes());
    }
    for (const at::Tensor& buffer : module.buffers()) {
        if (!buffer.is_floating_point()) continue;
        if (buffer.scalar_type() != type) buffer.set_data(buffer.to(type));
        buffers_.push_back(buffer);
    }
}

FlatParams FlatParams::shapesOf(const std::vector<std::vector<std::int64_t>>& shapes, at::ScalarType type) {
    FlatParams params;
    const auto options = at::TensorOptions(type).device(at::kMeta);
    std::int64_t total = 0;
    for (const auto& shape : shapes) {
        const at::Tensor parameter = at::empty(shape, options);
        params.slots_.push_back({parameter, total, parameter.numel()});
        total += parameter.numel();
    }
    DASGD_CHECK(total > 0 && "a model without parameters");
    params.weights_ = at::empty({total}, options);
    params.gradients_ = at::empty({total}, options);
    return params;
}

}  // namespace dasgd
