// Common part of AlexNet, OverFeat and VGG: convolutions one after the other, then three fully connected layers with
// dropout.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {

// Fields of networks that drop units after the first and the second fully connected layer.
struct DropoutAfterParams {
    double dropout = 0.5;
    void visit(auto&& f) {
        f(dropout, "dropout",
          dropoutField("Share of units dropped in training after the first and the second fully connected layer"));
    }
};

class PlainNetwork : public Network {
protected:
    PlainNetwork(const BuildContext& context, double dropout)
        : dropout_(register_module("dropout", std::make_shared<Dropout>(dropout, context.random))) {}

    // Adds conv1, conv2, … in order.
    void addConvolution(const torch::nn::Conv2dOptions& options) {
        convolutions_.push_back(
            register_module("conv" + std::to_string(convolutions_.size() + 1), torch::nn::Conv2d(options)));
    }
    // Adds fc1 to fc3, after all convolutions.
    void addConnected(std::int64_t units, std::int64_t first, std::int64_t second, std::int64_t classes) {
        fc1_ = register_module("fc1", torch::nn::Linear(units, first));
        fc2_ = register_module("fc2", torch::nn::Linear(first, second));
        fc3_ = register_module("fc3", torch::nn::Linear(second, classes));
    }
    // Applies every convolution with its ReLU, and pooling after the first two and the last.
    at::Tensor convolved(at::Tensor x, std::int64_t poolKernel, std::int64_t poolStride) {
        for (std::size_t i = 0; i < convolutions_.size(); ++i) {
            x = convolutions_[i](x);
            const bool pools = i < 2 || i + 1 == convolutions_.size();
            x = pools ? poolAndRectify(x, poolKernel, poolStride) : x.relu_();
        }
        return x;
    }
    // Applies the fully connected layers, with dropout after the first and the second.
    at::Tensor connected(const at::Tensor& x) {
        const at::Tensor first = dropout_->forward(fc1_(x).relu_());
        return fc3_(dropout_->forward(fc2_(first).relu_()));
    }

    std::vector<torch::nn::Conv2d> convolutions_;
    std::shared_ptr<Dropout> dropout_;
    torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};

}  // namespace dasgd
