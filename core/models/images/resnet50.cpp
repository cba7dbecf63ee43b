// ResNet-50 (He et al., arXiv 1512.03385, table 1) with the stride of a bottleneck in its 3x3 convolution, as in
// torchvision's `resnet50` ("v1.5"). 25,557,032 parameters and 4.09 G multiply-adds on 3x224x224 and 1,000 classes.
#include <ATen/ops/adaptive_avg_pool2d.h>

#include "core/models/classifier.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestResNet50Image = 33;  // leaves 2x2: BatchNorm needs more than one value
constexpr std::int64_t kExpansion = 4;
constexpr std::int64_t kResNet50Blocks[] = {3, 4, 6, 3};

struct ResNet50Params {
    std::int64_t width = 64;
    void visit(auto&& f) {
        f(width, "width",
          {.min = 1,
           .max = 1024,
           .unit = "channels",
           .help = "Channels of the stem; the last stage ends with 32 times"});
    }
};

class Bottleneck final : public torch::nn::Module {
public:
    Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride)
        : reduce_(register_module("reduce", std::make_shared<ConvNorm>(in, width, 1))),
          middle_(register_module("middle", std::make_shared<ConvNorm>(width, width, 3, stride))),
          expand_(register_module("expand", std::make_shared<ConvNorm>(width, width * kExpansion, 1))) {
        if (in == width * kExpansion) return;
        shortcut_ = register_module("shortcut", std::make_shared<ConvNorm>(in, width * kExpansion, 1, stride));
    }
    at::Tensor forward(const at::Tensor& x) {
        at::Tensor y = reduce_->forward(x).relu_();
        y = middle_->forward(y).relu_();
        y = expand_->forward(y);
        y += shortcut_ ? shortcut_->forward(x) : x;
        return y.relu_();
    }

private:
    std::shared_ptr<ConvNorm> reduce_, middle_, expand_, shortcut_;
};

class ResNet50Network final : public Network {
public:
    ResNet50Network(const InputSpec& input, std::int64_t width)
        : stem_(register_module("stem", std::make_shared<ConvNorm>(input.shape[0], width, 7, 2))) {
        std::int64_t channels = width;
        for (std::size_t stage = 0; stage < std::size(kResNet50Blocks); ++stage) {
            for (std::int64_t i = 0; i < kResNet50Blocks[stage]; ++i) {
                addBlock(channels, width << stage, stage > 0 && i == 0 ? 2 : 1);
                channels = (width << stage) * kExpansion;
            }
        }
        fc_ = register_module("fc", torch::nn::Linear(channels, input.classes));
        initializeHe(*this);
    }
    at::Tensor forward(at::Tensor x) override {
        x = poolAndRectify(stem_->forward(x), 3, 2, 1);
        for (const auto& block : blocks_) x = block->forward(x);
        return fc_(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    }

private:
    void addBlock(std::int64_t in, std::int64_t width, std::int64_t stride) {
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size() + 1),
                                          std::make_shared<Bottleneck>(in, width, stride)));
    }

    std::shared_ptr<ConvNorm> stem_;
    std::vector<std::shared_ptr<Bottleneck>> blocks_;
    torch::nn::Linear fc_{nullptr};
};

class ResNet50 final : public Classifier {
public:
    explicit ResNet50(const ResNet50Params& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestResNet50Image, "resnet50"));
        return std::make_shared<ResNet50Network>(context.input, params_.width);
    }

private:
    ResNet50Params params_;
};

const ModelRegistry::Add<ResNet50, ResNet50Params> kResNet50Entry{
    "resnet50", "ResNet-50, stride in the 3x3 convolutions", "arXiv 1512.03385"};

}  // namespace
}  // namespace dasgd
