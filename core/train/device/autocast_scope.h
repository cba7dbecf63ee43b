// LibTorch's autocast (torch.autocast): while it is on, convolutions, matrix products and the operations that follow
// them are computed in bfloat16 from float32 weights; sums, norms and losses stay in float32.
#pragma once

#include <ATen/autocast_mode.h>
#include <c10/core/DeviceType.h>

namespace dasgd {

// Autocast is on for the calling thread during the object's lifetime, where `on`. Backward passes belong outside: they
// compute in the types of their forward pass.
class AutocastScope {
public:
    AutocastScope(at::DeviceType device, bool on) : device_(device), on_(on) {
        if (!on_) return;
        enabledBefore_ = at::autocast::is_autocast_enabled(device_);
        typeBefore_ = at::autocast::get_autocast_dtype(device_);
        at::autocast::set_autocast_dtype(device_, at::kBFloat16);
        at::autocast::set_autocast_enabled(device_, true);
        at::autocast::increment_nesting();
    }
    ~AutocastScope() {
        if (!on_) return;
        // The cached bfloat16 copies of weights are valid for this pass alone: a step changes the weights.
        if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
        at::autocast::set_autocast_enabled(device_, enabledBefore_);
        at::autocast::set_autocast_dtype(device_, typeBefore_);
    }
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    at::DeviceType device_;
    bool on_;
    bool enabledBefore_ = false;
    at::ScalarType typeBefore_ = at::kBFloat16;
};

}  // namespace dasgd
