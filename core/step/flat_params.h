// All trainable parameters as views of one contiguous tensor, all gradients as views of a second: a snapshot is one
// copy, an all-reduce one call. Buffers (BatchNorm statistics) stay apart.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace torch::nn {
class Module;
}

namespace dasgd {

// The parameters that training changes, in registration order. A tensor that several modules share counts once:
// torch::nn::Module::parameters() lists it once a module.
[[nodiscard]] std::vector<at::Tensor> trainableParameters(const torch::nn::Module& module);
// Running means and variances of BatchNorm, for instance; never num_batches_tracked. Each counts once.
[[nodiscard]] std::vector<at::Tensor> floatingBuffers(const torch::nn::Module& module);

class FlatParams {
public:
    // Moves the module's parameters into one tensor of `type` and gives each a gradient view. The module lives longer.
    FlatParams(torch::nn::Module& module, at::ScalarType type);
    // Parameters and buffers of these shapes, without values, on the meta device: operations on them check shapes and
    // compute nothing.
    using Shapes = std::vector<std::vector<std::int64_t>>;
    [[nodiscard]] static FlatParams shapesOf(const Shapes& parameters, const Shapes& buffers, at::ScalarType type);
    // The weights of `whole` from element `begin` on, which it shares, and gradients [n] for them: what a rank steps
    // that holds a part of a model. A slot is what the part has of a parameter, with as many dimensions as that: n × 1
    // × 1 … No buffers.
    [[nodiscard]] static FlatParams partOf(const FlatParams& whole, std::int64_t begin, at::Tensor gradients);

    [[nodiscard]] at::Tensor& weights() { return weights_; }      // [N]
    [[nodiscard]] at::Tensor& gradients() { return gradients_; }  // [N]
    [[nodiscard]] bool shapesOnly() const { return weights_.is_meta(); }
    [[nodiscard]] std::int64_t size() const { return weights_.numel(); }
    [[nodiscard]] std::int64_t bytes() const { return size() * weights_.element_size(); }

    // Parameters in registration order with their offset in the flat tensor. Tied parameters have one slot.
    struct Slot {
        at::Tensor parameter;
        std::int64_t offset = 0;
        std::int64_t numel = 0;
    };
    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

    // Floating-point buffers of the module (BatchNorm running means and variances; never num_batches_tracked).
    [[nodiscard]] const std::vector<at::Tensor>& buffers() const { return buffers_; }

private:
    FlatParams() = default;
    at::Tensor weights_;
    at::Tensor gradients_;
    std::vector<Slot> slots_;
    std::vector<at::Tensor> buffers_;
};

}  // namespace dasgd
