// How much there is to compute in each layer of a model. Counted by core/train/count_flops.h.
#pragma once

#include <cstdint>
#include <vector>

namespace dasgd {

// Floating-point operations of one sample, two a multiply-add, under the parameter they are made with: in registration
// order, as the slots of the flat weights. What has no parameter (activations, pooling, normalisation) is not counted.
struct LayerWork {
    std::vector<double> forward;
    std::vector<double> backward;  // gradients of the parameter, and of the layer's input where someone needs them

    [[nodiscard]] double forwardFlops() const;
    [[nodiscard]] double flops() const;  // of both passes
};

// Of which share of a pass a parameter has. Where nothing was counted: as many as it has elements, which is how it is
// in a network of fully connected layers.
[[nodiscard]] std::vector<double> sharesOf(const std::vector<double>& work,
                                           const std::vector<std::int64_t>& parameterSizes);

}  // namespace dasgd
