#include "core/train/device/captured_passes.h"

#include <torch/types.h>

#include <utility>

#include "core/base/log.h"

namespace dasgd {

namespace {

// Steps before a capture, as PyTorch advises: libraries choose kernels and make their workspaces in the first passes.
constexpr int kEagerSteps = 3;

bool fits(const at::Tensor& values, const at::Tensor& place) {
    return values.sizes() == place.sizes() && values.scalar_type() == place.scalar_type();
}

}  // namespace

CapturedPasses::CapturedPasses(TensorDevice& device, Passes passes, std::function<void(const std::string&)> note)
    : device_(device), passes_(std::move(passes)), note_(std::move(note)) {}

void CapturedPasses::refuse(const std::string& why) {
    refused_ = true;
    forward_.reset();
    backward_.reset();
    const std::string text =
        "cuda_graph has no effect: " + why + ". Every step is given to the device kernel by kernel";
    note_(text);
    // Logged too, because the rank's last state replaces the note.
    logLine(LogLevel::Warning, text);
}

bool CapturedPasses::captures(Batch& batch, const std::string& impossible) {
    if (refused_) return false;
    if (!impossible.empty()) {
        refuse(impossible);
        return false;
    }
    if (eagerSteps_ < kEagerSteps) {
        ++eagerSteps_;
        return false;
    }
    if (!forward_) {
        inputs_ = {batch.inputs.clone(), batch.targets.clone()};
        batch = inputs_;
        return capture();
    }
    if (!fits(batch.inputs, inputs_.inputs) || !fits(batch.targets, inputs_.targets)) return false;
    inputs_.inputs.copy_(batch.inputs);
    inputs_.targets.copy_(batch.targets);
    batch = inputs_;
    return true;
}

bool CapturedPasses::capture() {
    for (const auto& [work, captured] :
         {std::pair(&passes_.forward, &forward_), std::pair(&passes_.backward, &backward_)}) {
        auto made = device_.capture(*work);
        if (!made) {
            refuse("the step cannot be captured (" + made.error().message + ")");
            return false;
        }
        *captured = std::move(*made);
    }
    return true;
}

}  // namespace dasgd
