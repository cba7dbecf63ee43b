// The networks of Simonyan and Zisserman (arXiv 1409.1556, table 1): 3x3 convolutions in five stages, each ended by a
// pooling, and three fully connected layers. Images of another size than 224x224 are averaged to 7x7 before those, as
// torchvision's `vgg11` and `vgg16` do.
#pragma once

#include <ATen/ops/adaptive_avg_pool2d.h>

#include <array>

#include "core/models/images/plain_network.h"

namespace dasgd {

inline constexpr std::int64_t kSmallestVggImage = 32;  // leaves 1x1 after five poolings

class VggNetwork final : public PlainNetwork {
public:
    // Convolutions of each stage.
    using Stages = std::array<int, 5>;

    VggNetwork(const BuildContext& context, const DropoutAfterParams& params, const Stages& stages)
        : PlainNetwork(context, params.dropout), stages_(stages) {
        constexpr std::array<std::int64_t, 5> kChannels{64, 128, 256, 512, 512};
        std::int64_t channels = context.input.shape[0];
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            for (int i = 0; i < stages[stage]; ++i) {
                const std::int64_t in = std::exchange(channels, kChannels[stage]);
                addConvolution(torch::nn::Conv2dOptions(in, channels, 3).padding(1));
            }
        }
        addConnected(512 * 7 * 7, 4096, 4096, context.input.classes);
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override {
        auto conv = convolutions_.begin();
        for (const int count : stages_) {
            for (int i = 1; i < count; ++i) x = (*conv++)(x).relu_();
            x = poolAndRectify((*conv++)(x), 2, 2);
        }
        return connected(at::adaptive_avg_pool2d(x, {7, 7}).flatten(1));
    }

private:
    Stages stages_;
};

}  // namespace dasgd
