#include "core/step/flat_params.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace {

// The first of each group of tensors that are the same object.
template <class Keep>
std::vector<at::Tensor> distinct(const std::vector<at::Tensor>& tensors, Keep keep) {
    std::vector<at::Tensor> kept;
    std::unordered_set<const c10::TensorImpl*> seen;
    for (const at::Tensor& tensor : tensors) {
        if (keep(tensor) && seen.insert(tensor.unsafeGetTensorImpl()).second) kept.push_back(tensor);
    }
    return kept;
}

}  // namespace

std::vector<at::Tensor> trainableParameters(const torch::nn::Module& module) {
    return distinct(module.parameters(), [](const at::Tensor& parameter) { return parameter.requires_grad(); });
}

std::vector<at::Tensor> floatingBuffers(const torch::nn::Module& module) {
    return distinct(module.buffers(), [](const at::Tensor& buffer) { return buffer.is_floating_point(); });
}

FlatParams::FlatParams(torch::nn::Module& module, at::ScalarType type) {
    const at::NoGradGuard noGrad;
    std::int64_t total = 0;
    for (const at::Tensor& parameter : trainableParameters(module)) {
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
    buffers_ = floatingBuffers(module);
    for (const at::Tensor& buffer : buffers_) {
        if (buffer.scalar_type() != type) buffer.set_data(buffer.to(type));
    }
}

FlatParams FlatParams::shapesOf(const Shapes& parameters, const Shapes& buffers, at::ScalarType type) {
    FlatParams params;
    const auto options = at::TensorOptions(type).device(at::kMeta);
    std::int64_t total = 0;
    for (const auto& shape : parameters) {
        const at::Tensor parameter = at::empty(shape, options);
        params.slots_.push_back({parameter, total, parameter.numel()});
        total += parameter.numel();
    }
    DASGD_CHECK(total > 0 && "a model without parameters");
    params.weights_ = at::empty({total}, options);
    params.gradients_ = at::empty({total}, options);
    for (const auto& shape : buffers) params.buffers_.push_back(at::empty(shape, options));
    return params;
}

FlatParams FlatParams::partOf(const FlatParams& whole, std::int64_t begin, at::Tensor gradients) {
    const std::int64_t end = begin + gradients.numel();
    DASGD_CHECK(gradients.dim() == 1 && begin >= 0 && end <= whole.size());
    FlatParams params;
    params.weights_ = whole.weights_.narrow(0, begin, gradients.numel());
    params.gradients_ = std::move(gradients);
    for (const Slot& slot : whole.slots_) {
        const std::int64_t from = std::max(begin, slot.offset);
        const std::int64_t numel = std::min(end, slot.offset + slot.numel) - from;
        if (numel <= 0) continue;
        std::vector<std::int64_t> shape(static_cast<std::size_t>(std::max<std::int64_t>(slot.parameter.dim(), 1)), 1);
        shape[0] = numel;
        params.slots_.push_back({params.weights_.narrow(0, from - begin, numel).view(shape), from - begin, numel});
    }
    return params;
}

}  // namespace dasgd
