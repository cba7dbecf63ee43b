// All trainable parameters as views of one contiguous tensor, all gradients as views of a second: a snapshot is one
// copy, an all-reduce one call. Buffers (BatchNorm statistics) stay apart.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace torch::nn {
class Module;
}

namespace dasgd {

// The parameters that training changes, in registration order. A tensor that several modules share counts once, while
// torch::nn::Module::parameters() lists it once for each module.
[[nodiscard]] std::vector<at::Tensor> trainableParameters(const torch::nn::Module& module);
// Floating-point buffers, such as running means and variances of BatchNorm; never num_batches_tracked. Each counts
// once.
[[nodiscard]] std::vector<at::Tensor> floatingBuffers(const torch::nn::Module& module);

// Memory layout of the flat tensors.
struct FlatLayout {
    at::Device device = at::kCPU;
    // A slot begins at a multiple of so many bytes. Elements between two slots are padding: 0 in weights and gradients,
    // left 0 by an optimiser, sent with the weights, and no parameter.
    std::int64_t alignment = 1;
    // The elements of convolution kernels, which have four dimensions, are in the order of torch.channels_last.
    bool channelsLast = false;
};
// The layout that kernels need: on an accelerator slots are aligned to 256 bytes. On the CPU they follow one
// another, so that recorded numbers (bytes sent, norms to the last bit) stay as in earlier versions.
[[nodiscard]] FlatLayout layoutOn(at::Device device);

class FlatParams {
public:
    // Moves the module's parameters into one tensor of `type` and gives each a gradient view. Buffers, integers too,
    // and parameters that are not trained move to the same device. The module lives longer.
    FlatParams(torch::nn::Module& module, at::ScalarType type, const FlatLayout& layout = {});
    // Parameters and buffers of these shapes, without values, on the meta device: operations on them check shapes and
    // compute nothing.
    using Shapes = std::vector<std::vector<std::int64_t>>;
    [[nodiscard]] static FlatParams shapesOf(const Shapes& parameters, const Shapes& buffers, at::ScalarType type);
    // The weights of `whole` from element `begin` on, which it shares, with gradients [n] for them: the parameters of a
    // rank that steps a part of a model. A slot is a whole parameter, or the part's share of one, with as many
    // dimensions as that: n × 1 × 1 … No buffers.
    [[nodiscard]] static FlatParams partOf(const FlatParams& whole, std::int64_t begin, at::Tensor gradients);
    // The same of several ranges of `whole`, [begin, end) and ascending, one after the other: a copy. Gradients [n] may
    // be longer than the ranges together: the elements behind these are padding.
    using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;
    [[nodiscard]] static FlatParams copyOf(const FlatParams& whole, const Ranges& ranges, at::Tensor gradients);

    [[nodiscard]] at::Tensor& weights() { return weights_; }      // [N]
    [[nodiscard]] at::Tensor& gradients() { return gradients_; }  // [N]
    [[nodiscard]] bool shapesOnly() const { return weights_.is_meta(); }
    // Elements of the flat tensors, padding included: the N of a snapshot or a message.
    [[nodiscard]] std::int64_t size() const { return weights_.numel(); }
    [[nodiscard]] std::int64_t bytes() const { return size() * weights_.element_size(); }
    // Elements that are parameters.
    [[nodiscard]] std::int64_t parameters() const { return parameters_; }
    // Position in the flat tensors of parameter element `element`, all counted from 0 in registration order; size() for
    // parameters() itself. A range of elements that ends with a slot includes that slot's padding.
    [[nodiscard]] std::int64_t offsetOf(std::int64_t element) const;
    // `flat` without padding, each parameter in the order of its own dimensions: a copy, or `flat` itself.
    [[nodiscard]] at::Tensor withoutPadding(const at::Tensor& flat) const;
    // Sets the padding of `flat` to 0 again, after an operation that does not leave it so.
    void clearPadding(const at::Tensor& flat) const;

    // Parameters in registration order with their offset in the flat tensor. Tied parameters have one slot.
    struct Slot {
        at::Tensor parameter;
        std::int64_t offset = 0;
        std::int64_t numel = 0;
        bool hidden = false;  // a matrix of a hidden layer (hidden_matrices.h); false where only shapes are known
    };
    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

    // Floating-point buffers of the module (BatchNorm running means and variances; never num_batches_tracked).
    [[nodiscard]] const std::vector<at::Tensor>& buffers() const { return buffers_; }

private:
    FlatParams() = default;
    void addSlot(const at::Tensor& parameter, std::int64_t alignment);
    // Adds the slots of `whole` between `begin` and `end`, whose elements lie from `offset` on in weights_.
    void addShares(const FlatParams& whole, std::int64_t begin, std::int64_t end, std::int64_t offset);
    [[nodiscard]] std::int64_t endOf(std::size_t slot) const;

    bool reordered_ = false;  // some parameter's elements are not in the order of its dimensions
    std::int64_t parameters_ = 0;
    std::int64_t end_ = 0;  // end of the last slot, with its padding
    at::Tensor weights_;
    at::Tensor gradients_;
    std::vector<Slot> slots_;
    std::vector<at::Tensor> buffers_;
};

}  // namespace dasgd
