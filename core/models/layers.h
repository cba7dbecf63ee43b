// Layers that several image networks are made of.
#pragma once

#include <ATen/ops/max_pool2d.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <memory>

namespace dasgd {

// Convolution, padded so that stride 1 keeps the extents of an odd kernel; without bias, because a norm follows.
inline torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1,
                                     std::int64_t groups = 1) {
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).groups(groups).bias(false));
}

// Convolution and BatchNorm.
class ConvNorm final : public torch::nn::Module {
public:
    ConvNorm(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1, std::int64_t groups = 1)
        : conv_(register_module("conv", convolution(in, out, kernel, stride, groups))),
          norm_(register_module("norm", torch::nn::BatchNorm2d(out))) {}
    at::Tensor forward(const at::Tensor& x) { return norm_(conv_(x)); }

private:
    torch::nn::Conv2d conv_;
    torch::nn::BatchNorm2d norm_;
};

// Max pooling, then ReLU: the same values and gradients as in the other order, on fewer elements.
inline at::Tensor poolAndRectify(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                                 std::int64_t padding = 0) {
    return at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding}).relu_();
}

// Draws convolutions as He et al. (arXiv 1502.01852) do for ReLU, by the outputs of a layer, so that the signal neither
// vanishes nor explodes with depth; other weight matrices N(0, 0.01²); biases 0. Draws from the default generator.
inline void initializeHe(torch::nn::Module& network) {
    for (const auto& module : network.modules(false)) {
        if (auto* conv = module->as<torch::nn::Conv2d>()) {
            torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
            if (conv->bias.defined()) torch::nn::init::zeros_(conv->bias);
        } else if (auto* linear = module->as<torch::nn::Linear>()) {
            torch::nn::init::normal_(linear->weight, 0, 0.01);
            torch::nn::init::zeros_(linear->bias);
        }
    }
}

}  // namespace dasgd
