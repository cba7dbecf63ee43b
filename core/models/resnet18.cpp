// ResNet-18 (arXiv 1512.03385) with the stem for small images: 3x3 convolution of stride 1, no pooling before the
// blocks. 11.17 M parameters at width 64 on 3x32x32 and 10 classes.
#include <ATen/ops/adaptive_avg_pool2d.h>

#include "core/models/classifier.h"
#include "core/models/residual.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestResnetImage =
    16;  // leaves 2x2 after three halvings: BatchNorm needs more than one value

struct ResNetParams {
    std::int64_t width = 64;
    void visit(auto&& f) {
        f(width, "width", {.min = 1, .max = 1024, .unit = "channels", .help = "Channels of the first stage"});
    }
};

class ResNetNetwork final : public LayeredNetwork {
public:
    ResNetNetwork(const InputSpec& input, std::int64_t width) {
        const auto stem = register_module("stem", convolution(input.shape[0], width, 3, 1));
        const auto norm = register_module("norm", torch::nn::BatchNorm2d(width));
        addLayer({stem, norm}, [=](const at::Tensor& x) { return norm->forward(stem->forward(x)).relu_(); });
        std::int64_t channels = width;
        for (int stage = 0; stage < 4; ++stage) {
            const std::int64_t out = width << stage;
            addBlock(channels, out, stage == 0 ? 1 : 2);
            addBlock(out, out, 1);
            channels = out;
        }
        const auto fc = register_module("fc", torch::nn::Linear(channels, input.classes));
        addLayer({fc}, [=](const at::Tensor& x) { return fc->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1)); });
    }

private:
    void addBlock(std::int64_t in, std::int64_t out, std::int64_t stride) {
        const auto block = register_module("block" + std::to_string(++blocks_),
                                           std::make_shared<BasicBlock>(in, out, stride, Shortcut::kProjection));
        addLayer({block}, [=](const at::Tensor& x) { return block->forward(x); });
    }

    int blocks_ = 0;
};

class ResNet18 final : public Classifier {
public:
    explicit ResNet18(const ResNetParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 32, 32}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestResnetImage, "resnet18"));
        return std::make_shared<ResNetNetwork>(context.input, params_.width);
    }

private:
    ResNetParams params_;
};

const ModelRegistry::Add<ResNet18, ResNetParams> kResnet18Entry{"resnet18", "ResNet-18 with the stem for small images",
                                                                "arXiv 1512.03385"};

}  // namespace
}  // namespace dasgd
