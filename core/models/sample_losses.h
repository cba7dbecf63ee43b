// Optional interfaces of a model whose batches are not just means of equal samples. Asked for by dynamic_cast.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/models/model.h"
#include "core/tensors/rounded_sqrt.h"

namespace dasgd {

// Losses of the samples one by one. Default: loss() is all that is known, and batches have no weights.
class HasSampleLosses {
public:
    virtual ~HasSampleLosses() = default;
    // [B], differentiable, in training mode, without the batch's weights; of a text the mean over the sample's tokens.
    // Model::loss() is the mean of losses() times weights.
    [[nodiscard]] virtual at::Tensor losses(const Batch& batch) = 0;
};

// Norms of the gradients of the samples one by one, for samplers that go by them. Default: such a sampler is refused.
class HasGradientNorms {
public:
    virtual ~HasGradientNorms() = default;
    // [B]: the 2-norm of the gradient of each of losses(), exact, at the present weights.
    [[nodiscard]] virtual at::Tensor gradientNorms(const Batch& batch) = 0;
};

// Norms for a network that is one linear layer: the gradient of sample i is gᵢ ⊗ xᵢ, and gᵢ of the bias, where gᵢ, a
// row of `ofOutputs` [B, C], is that of its loss by its outputs.
[[nodiscard]] inline at::Tensor normsOfLinear(const at::Tensor& ofOutputs, const at::Tensor& inputs, bool bias) {
    const at::Tensor squares = inputs.flatten(1).square().sum(1) + (bias ? 1 : 0);
    at::Tensor norms = ofOutputs.square().sum(1) * squares;
    takeRoot(norms);
    return norms;
}

}  // namespace dasgd
