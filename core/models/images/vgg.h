// The networks of Simonyan and Zisserman (arXiv 1409.1556, table 1): 3x3 convolutions in five stages, each ended by a
// pooling, and three fully connected layers. Images of another size than 224x224 are averaged to 7x7 before those, as
// torchvision's `vgg11` and `vgg16` do.
#pragma once

#include <ATen/ops/adaptive_avg_pool2d.h>

#include <array>

#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {

inline constexpr std::int64_t kSmallestVggImage = 32;  // leaves 1x1 after five poolings

struct VggParams {
    double dropout = 0.5;
    void visit(auto&& f) {
        f(dropout, "dropout",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .help = "Share of units dropped in training after the first and the second fully connected layer"});
    }
};

class VggNetwork final : public Network {
public:
    // Convolutions of each stage.
    using Stages = std::array<int, 5>;

    VggNetwork(const BuildContext& context, const VggParams& params, const Stages& stages)
        : stages_(stages),
          dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        constexpr std::array<std::int64_t, 5> kChannels{64, 128, 256, 512, 512};
        std::int64_t channels = context.input.shape[0];
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            for (int i = 0; i < stages[stage]; ++i) {
                addConvolution(std::exchange(channels, kChannels[stage]), kChannels[stage]);
            }
        }
        fc1_ = register_module("fc1", torch::nn::Linear(512 * 7 * 7, 4096));
        fc2_ = register_module("fc2", torch::nn::Linear(4096, 4096));
        fc3_ = register_module("fc3", torch::nn::Linear(4096, context.input.classes));
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override {
        auto conv = convolutions_.begin();
        for (const int count : stages_) {
            for (int i = 1; i < count; ++i) x = (*conv++)(x).relu_();
            x = poolAndRectify((*conv++)(x), 2, 2);
        }
        x = at::adaptive_avg_pool2d(x, {7, 7}).flatten(1);
        x = dropout_->forward(fc1_(x).relu_());
        x = dropout_->forward(fc2_(x).relu_());
        return fc3_(x);
    }

private:
    void addConvolution(std::int64_t in, std::int64_t out) {
        convolutions_.push_back(register_module("conv" + std::to_string(convolutions_.size() + 1),
                                                torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1))));
    }

    Stages stages_;
    std::vector<torch::nn::Conv2d> convolutions_;
    std::shared_ptr<Dropout> dropout_;
    torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};

}  // namespace dasgd
