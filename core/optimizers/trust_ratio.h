// Layer-wise adaptation, as in LARS and LAMB: each parameter's update is scaled by the size of its weights relative to
// the update. A layer is one parameter tensor here: weights and biases each have a ratio of their own.
#pragma once

#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <torch/types.h>

#include <vector>

#include "core/step/flat_params.h"

namespace dasgd {

// Views of the part of `flat` that each parameter has, in the order of FlatParams::slots().
[[nodiscard]] inline std::vector<at::Tensor> layersOf(const FlatParams& params, const at::Tensor& flat) {
    std::vector<at::Tensor> layers;
    for (const FlatParams::Slot& slot : params.slots()) layers.push_back(flat.narrow(0, slot.offset, slot.numel));
    return layers;
}

// ‖·‖₂ of each layer of `flat`, [layers].
[[nodiscard]] inline at::Tensor layerNorms(const FlatParams& params, const at::Tensor& flat) {
    return at::stack(at::_foreach_norm(layersOf(params, flat), 2));
}

// a / b, and 1 where either is 0: such a layer is not adapted. Otherwise one that starts at zero would stay there.
[[nodiscard]] inline at::Tensor ratioOrOne(const at::Tensor& a, const at::Tensor& b) {
    return (a / b).masked_fill_(a.gt(0).logical_and_(b.gt(0)).logical_not_(), 1.0);
}

}  // namespace dasgd
