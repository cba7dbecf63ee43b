// The residual block of two 3x3 convolutions (He et al., arXiv 1512.03385).
#pragma once

#include <ATen/ops/constant_pad_nd.h>

#include "core/models/layers.h"

namespace dasgd {

// Shortcut of a block whose output has another size than its input: a 1x1 convolution and a norm (the paper's option
// B), or, without parameters, every second pixel and channels of zeros (option A).
enum class Shortcut { kProjection, kPadding };

class BasicBlock final : public torch::nn::Module {
public:
    BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride, Shortcut shortcut)
        : conv1_(register_module("conv1", convolution(in, out, 3, stride))),
          norm1_(register_module("norm1", torch::nn::BatchNorm2d(out))),
          conv2_(register_module("conv2", convolution(out, out, 3))),
          norm2_(register_module("norm2", torch::nn::BatchNorm2d(out))),
          stride_(stride),
          added_(out - in) {
        if ((stride == 1 && in == out) || shortcut == Shortcut::kPadding) return;
        shortcut_ = register_module("shortcut", convolution(in, out, 1, stride));
        shortcutNorm_ = register_module("shortcutNorm", torch::nn::BatchNorm2d(out));
    }
    at::Tensor forward(const at::Tensor& x) {
        at::Tensor y = norm1_(conv1_(x)).relu_();
        y = norm2_(conv2_(y));
        y += shortcut_ ? shortcutNorm_(shortcut_(x)) : padded(x);
        return y.relu_();
    }

private:
    at::Tensor padded(const at::Tensor& x) const {
        at::Tensor y = x;
        if (stride_ > 1) y = y.slice(2, 0, x.size(2), stride_).slice(3, 0, x.size(3), stride_);
        if (added_ == 0) return y;
        return at::constant_pad_nd(y, {0, 0, 0, 0, added_ / 2, added_ - added_ / 2});
    }

    torch::nn::Conv2d conv1_;
    torch::nn::BatchNorm2d norm1_;
    torch::nn::Conv2d conv2_;
    torch::nn::BatchNorm2d norm2_;
    torch::nn::Conv2d shortcut_{nullptr};
    torch::nn::BatchNorm2d shortcutNorm_{nullptr};
    std::int64_t stride_;
    std::int64_t added_;  // channels
};

}  // namespace dasgd
