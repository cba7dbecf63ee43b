// Amount of computation in each layer of a model. Counted by core/train/data/count_flops.h.
#pragma once

#include <cstdint>
#include <vector>

namespace dasgd {

// Floating-point operations of one sample, two for a multiply-add, listed under the parameter they are made with: in
// registration order, as the slots of the flat weights. Layers without parameters (activations, pooling, normalisation)
// are not counted.
struct LayerWork {
    std::vector<double> forward;
    // gradients of the parameter, and of the layer's input where a gradient of that is needed
    std::vector<double> backward;

    [[nodiscard]] double forwardFlops() const;
    [[nodiscard]] double flops() const;  // both passes together
};

// Each parameter's share of a pass. Where nothing was counted: in proportion to its elements, as in a network of fully
// connected layers.
[[nodiscard]] std::vector<double> sharesOf(const std::vector<double>& work,
                                           const std::vector<std::int64_t>& parameterSizes);

}  // namespace dasgd
