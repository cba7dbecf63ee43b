// Gradient clipping by the global norm (Pascanu, Mikolov, Bengio, arXiv 1211.5063) around any optimiser.
#pragma once

#include <memory>

#include "core/optimizers/optimizer.h"

namespace dasgd {

// Scales the gradients in place before each step: g *= min(1, limit / (‖g‖₂ + 1e-6)), as torch.nn.utils.clip_grad_norm_
// does. Its steps are steady (SteadyStep) where those of `optimizer` are. `limit` > 0.
[[nodiscard]] std::unique_ptr<Optimizer> clipped(std::unique_ptr<Optimizer> optimizer, double limit);

}  // namespace dasgd
