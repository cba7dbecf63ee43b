#include "core/train/device/pass_effects.h"

#include <torch/types.h>

namespace dasgd {

PassEffects::PassEffects(torch::nn::Module& module, at::Generator& random)
    : buffers_(module.buffers()), random_(random) {
    for (const at::Tensor& buffer : buffers_) values_.push_back(buffer.detach().clone());
    if (random_.defined()) drawn_ = random_.get_state();
}

void PassEffects::undo() {
    const at::NoGradGuard guard;
    for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(values_[i]);
    if (random_.defined()) random_.set_state(drawn_);
}

}  // namespace dasgd
