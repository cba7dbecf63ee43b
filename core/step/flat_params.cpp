#include "core/step/flat_params.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/base/check.h"
#include "core/step/hidden_matrices.h"

namespace dasgd {

namespace {

// The first tensor of each group of tensors that are the same object, where `keep` holds.
template <class Keep>
std::vector<at::Tensor> distinct(const std::vector<at::Tensor>& tensors, Keep keep) {
    std::vector<at::Tensor> kept;
    std::unordered_set<const c10::TensorImpl*> seen;
    for (const at::Tensor& tensor : tensors) {
        if (keep(tensor) && seen.insert(tensor.unsafeGetTensorImpl()).second) kept.push_back(tensor);
    }
    return kept;
}

std::int64_t inElements(std::int64_t bytes, at::ScalarType type) {
    return std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(c10::elementSize(type)));
}

// `flat` as a tensor of `sizes` (four of them) whose second dimension lies innermost.
at::Tensor inChannelsLast(const at::Tensor& flat, at::IntArrayRef sizes) {
    return flat.view({sizes[0], sizes[2], sizes[3], sizes[1]}).permute({0, 3, 1, 2});
}

void moveTo(at::Device device, const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
        if (tensor.device() != device) tensor.set_data(tensor.to(device));
    }
}

}  // namespace

std::vector<at::Tensor> trainableParameters(const torch::nn::Module& module) {
    return distinct(module.parameters(), [](const at::Tensor& parameter) { return parameter.requires_grad(); });
}

std::vector<at::Tensor> floatingBuffers(const torch::nn::Module& module) {
    return distinct(module.buffers(), [](const at::Tensor& buffer) { return buffer.is_floating_point(); });
}

FlatLayout layoutOn(at::Device device) {
    constexpr std::int64_t kAcceleratorAlignment = 256;
    return {.device = device, .alignment = device.is_cpu() ? 1 : kAcceleratorAlignment};
}

void FlatParams::addSlot(const at::Tensor& parameter, std::int64_t alignment) {
    slots_.push_back({parameter, end_, parameter.numel()});
    parameters_ += parameter.numel();
    end_ = (end_ + parameter.numel() + alignment - 1) / alignment * alignment;
}

FlatParams::FlatParams(torch::nn::Module& module, at::ScalarType type, const FlatLayout& layout) {
    const at::NoGradGuard noGrad;
    const std::int64_t alignment = inElements(layout.alignment, type);
    for (const at::Tensor& parameter : trainableParameters(module)) addSlot(parameter, alignment);
    DASGD_CHECK(parameters_ > 0 && "a model without parameters");
    const std::vector<bool> hidden = hiddenMatrices(module);
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].hidden = hidden[i];

    const auto options = at::TensorOptions(type).device(layout.device);
    weights_ = end_ == parameters_ ? at::empty({end_}, options) : at::zeros({end_}, options);
    gradients_ = at::zeros({end_}, options);
    for (Slot& slot : slots_) {
        const bool reordered = layout.channelsLast && slot.parameter.dim() == 4;
        const auto viewIn = [&](const at::Tensor& flat) {
            const at::Tensor part = flat.narrow(0, slot.offset, slot.numel);
            return reordered ? inChannelsLast(part, slot.parameter.sizes()) : part.view(slot.parameter.sizes());
        };
        reordered_ = reordered_ || reordered;
        const at::Tensor view = viewIn(weights_);
        view.copy_(slot.parameter);
        slot.parameter.set_data(view);
        slot.parameter.mutable_grad() = viewIn(gradients_);
    }
    buffers_ = floatingBuffers(module);
    for (const at::Tensor& buffer : buffers_) {
        if (buffer.scalar_type() != type) buffer.set_data(buffer.to(type));
    }
    for (const auto& others : {module.parameters(), module.buffers()}) moveTo(layout.device, others);
}

FlatParams FlatParams::shapesOf(const Shapes& parameters, const Shapes& buffers, at::ScalarType type) {
    FlatParams params;
    const auto options = at::TensorOptions(type).device(at::kMeta);
    for (const auto& shape : parameters) params.addSlot(at::empty(shape, options), 1);
    DASGD_CHECK(params.parameters_ > 0 && "a model without parameters");
    params.weights_ = at::empty({params.end_}, options);
    params.gradients_ = at::empty({params.end_}, options);
    for (const auto& shape : buffers) params.buffers_.push_back(at::empty(shape, options));
    return params;
}

std::int64_t FlatParams::endOf(std::size_t slot) const {
    return slot + 1 < slots_.size() ? slots_[slot + 1].offset : size();
}

std::int64_t FlatParams::offsetOf(std::int64_t element) const {
    DASGD_CHECK(element >= 0 && element <= parameters_);
    for (const Slot& slot : slots_) {
        if (element < slot.numel) return slot.offset + element;
        element -= slot.numel;
    }
    return size();
}

at::Tensor FlatParams::withoutPadding(const at::Tensor& flat) const {
    if (parameters_ == size() && !reordered_) return flat;
    std::vector<at::Tensor> parts;
    for (const Slot& slot : slots_) {
        // The view has the parameter's own strides, from the slot's first element on.
        parts.push_back(
            flat.narrow(0, slot.offset, slot.numel)
                .as_strided(slot.parameter.sizes(), slot.parameter.strides(), flat.storage_offset() + slot.offset)
                .flatten());
    }
    return at::cat(parts);
}

void FlatParams::clearPadding(const at::Tensor& flat) const {
    if (parameters_ == size()) return;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const std::int64_t begin = slots_[i].offset + slots_[i].numel;
        if (begin < endOf(i)) flat.narrow(0, begin, endOf(i) - begin).zero_();
    }
}

FlatParams FlatParams::partOf(const FlatParams& whole, std::int64_t begin, at::Tensor gradients) {
    const std::int64_t end = begin + gradients.numel();
    DASGD_CHECK(gradients.dim() == 1 && begin >= 0 && end <= whole.size());
    FlatParams params;
    params.weights_ = whole.weights_.narrow(0, begin, gradients.numel());
    params.gradients_ = std::move(gradients);
    params.addShares(whole, begin, end, 0);
    return params;
}

FlatParams FlatParams::copyOf(const FlatParams& whole, const Ranges& ranges, at::Tensor gradients) {
    const at::NoGradGuard noGrad;
    FlatParams params;
    params.weights_ = at::zeros_like(gradients);
    params.gradients_ = std::move(gradients);
    std::int64_t offset = 0;
    for (const auto& [begin, end] : ranges) {
        params.weights_.narrow(0, offset, end - begin).copy_(whole.weights_.narrow(0, begin, end - begin));
        params.addShares(whole, begin, end, offset);
        offset += end - begin;
    }
    return params;
}

void FlatParams::addShares(const FlatParams& whole, std::int64_t begin, std::int64_t end, std::int64_t offset) {
    for (const Slot& slot : whole.slots_) {
        const std::int64_t from = std::max(begin, slot.offset);
        const std::int64_t numel = std::min(end, slot.offset + slot.numel) - from;
        if (numel <= 0) continue;
        const std::int64_t at = offset + from - begin;
        const at::Tensor share = weights_.narrow(0, at, numel);
        if (numel == slot.numel) {
            const at::Tensor parameter =
                share.as_strided(slot.parameter.sizes(), slot.parameter.strides(), share.storage_offset());
            slots_.push_back({parameter, at, numel, slot.hidden});
        } else {
            std::vector<std::int64_t> shape(static_cast<std::size_t>(std::max<std::int64_t>(slot.parameter.dim(), 1)),
                                            1);
            shape[0] = numel;
            slots_.push_back({share.view(shape), at, numel});
        }
        parameters_ += numel;
    }
}

}  // namespace dasgd
