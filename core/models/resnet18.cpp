// ResNet-18 (arXiv 1512.03385) with the stem for small images: 3x3 convolution of stride 1, no pooling before the
// blocks. 11.17 M parameters at width 64 on 3x32x32 and 10 classes.
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "core/models/classifier.h"

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

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

class BlockImpl final : public torch::nn::Module {
public:
    BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
        : conv1_(register_module("conv1", convolution(in, out, 3, stride))),
          norm1_(register_module("norm1", torch::nn::BatchNorm2d(out))),
          conv2_(register_module("conv2", convolution(out, out, 3, 1))),
          norm2_(register_module("norm2", torch::nn::BatchNorm2d(out))) {
        if (stride == 1 && in == out) return;
        shortcut_ = register_module("shortcut", convolution(in, out, 1, stride));
        shortcutNorm_ = register_module("shortcutNorm", torch::nn::BatchNorm2d(out));
    }
    at::Tensor forward(const at::Tensor& x) {
        at::Tensor y = norm1_(conv1_(x)).relu_();
        y = norm2_(conv2_(y));
        y += shortcut_ ? shortcutNorm_(shortcut_(x)) : x;
        return y.relu_();
    }

private:
    torch::nn::Conv2d conv1_;
    torch::nn::BatchNorm2d norm1_;
    torch::nn::Conv2d conv2_;
    torch::nn::BatchNorm2d norm2_;
    torch::nn::Conv2d shortcut_{nullptr};
    torch::nn::BatchNorm2d shortcutNorm_{nullptr};
};
TORCH_MODULE(Block);

class ResNetNetwork final : public Network {
public:
    ResNetNetwork(const InputSpec& input, std::int64_t width)
        : stem_(register_module("stem", convolution(input.shape[0], width, 3, 1))),
          norm_(register_module("norm", torch::nn::BatchNorm2d(width))) {
        std::int64_t channels = width;
        for (int stage = 0; stage < 4; ++stage) {
            const std::int64_t out = width << stage;
            addBlock(channels, out, stage == 0 ? 1 : 2);
            addBlock(out, out, 1);
            channels = out;
        }
        fc_ = register_module("fc", torch::nn::Linear(channels, input.classes));
    }
    at::Tensor forward(at::Tensor x) override {
        x = norm_(stem_(x)).relu_();
        for (Block& block : blocks_) x = block(x);
        return fc_(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    }

private:
    void addBlock(std::int64_t in, std::int64_t out, std::int64_t stride) {
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size() + 1), Block(in, out, stride)));
    }

    torch::nn::Conv2d stem_;
    torch::nn::BatchNorm2d norm_;
    std::vector<Block> blocks_;
    torch::nn::Linear fc_{nullptr};
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
