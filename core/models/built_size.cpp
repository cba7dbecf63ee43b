#include "core/models/built_size.h"

#include <ATen/core/boxing/KernelFunction.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <exception>

namespace dasgd {

namespace {

// LibTorch has modes of dispatch for Python alone; this key, made for its own tests, does the same in C++: while a
// thread includes it, every operator comes here first.
constexpr c10::DispatchKey kMode = c10::DispatchKey::TESTING_ONLY_GenericMode;

// Bytes of the largest tensor that was to be allocated elsewhere than on the meta device since the thread included
// kMode.
thread_local double largestMade = 0;

// Tensors that an operator makes are made on the meta device, and so are all that come of them.
void makeOnMeta(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const c10::impl::ExcludeDispatchKeyGuard once(kMode);
    const auto& arguments = op.schema().arguments();
    bool moved = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].name() != "device") continue;
        c10::IValue& device = (*stack)[stack->size() - arguments.size() + i];
        moved = !device.isDevice() || !device.toDevice().is_meta();
        device = c10::Device(c10::kMeta);
    }
    op.callBoxed(stack);
    if (moved && !stack->empty() && stack->back().isTensor()) {
        const at::Tensor& made = stack->back().toTensor();
        largestMade =
            std::max(largestMade, static_cast<double>(made.numel()) * static_cast<double>(made.element_size()));
    }
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, mode) {
    mode.fallback(torch::CppFunction::makeFromBoxedFunction<&makeOnMeta>());
}

double totalBytes(const std::vector<at::Tensor>& tensors) {
    double bytes = 0;
    for (const at::Tensor& tensor : tensors) {
        bytes += static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size());
    }
    return bytes;
}

}  // namespace

std::optional<double> sizeOfBuilt(Model& model, const BuildContext& context) {
    largestMade = 0;
    try {
        const c10::impl::IncludeDispatchKeyGuard mode(kMode);
        if (!model.build(context)) return std::nullopt;
    } catch (const std::exception&) {
        // Values were asked for, which meta tensors do not have; or a size overflows, which build() says better.
        return largestMade > 0 ? std::optional(largestMade) : std::nullopt;
    }
    if (largestMade == 0) return std::nullopt;
    return std::max(largestMade, totalBytes(model.module().parameters()) + totalBytes(model.module().buffers()));
}

}  // namespace dasgd
