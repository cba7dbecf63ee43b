// MobileNetV2 (Sandler et al., arXiv 1801.04381, table 2): inverted residuals with depthwise convolutions. 3,504,872
// parameters and 0.30 G multiply-adds at width multiplier 1 on 3x224x224 and 1,000 classes.
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/hardtanh.h>

#include <algorithm>

#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestMobileNetImage = 33;  // leaves 2x2: BatchNorm needs more than one value

struct MobileNetParams {
    double widthMultiplier = 1;
    double dropout = 0.2;
    void visit(auto&& f) {
        f(widthMultiplier, "width_multiplier",
          {.min = 0.1, .max = 4, .help = "Factor of the channels, which stay multiples of 8"});
        f(dropout, "dropout", dropoutField("Share of values dropped in training before the last layer"));
    }
};

at::Tensor rectify6(at::Tensor x) { return at::hardtanh_(x, 0, 6); }

// The nearest multiple of 8 that is not more than a tenth below `channels`.
std::int64_t multipleOf8(double channels) {
    const std::int64_t rounded = std::max<std::int64_t>(8, static_cast<std::int64_t>(channels + 4) / 8 * 8);
    return static_cast<double>(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

class InvertedResidual final : public torch::nn::Module {
public:
    InvertedResidual(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t expansion)
        : adds_(stride == 1 && in == out) {
        const std::int64_t hidden = in * expansion;
        if (expansion > 1) expand_ = register_module("expand", std::make_shared<ConvNorm>(in, hidden, 1));
        depthwise_ = register_module("depthwise", std::make_shared<ConvNorm>(hidden, hidden, 3, stride, hidden));
        project_ = register_module("project", std::make_shared<ConvNorm>(hidden, out, 1));
    }
    at::Tensor forward(const at::Tensor& x) {
        at::Tensor y = expand_ ? rectify6(expand_->forward(x)) : x;
        y = rectify6(depthwise_->forward(y));
        y = project_->forward(y);
        return adds_ ? x + y : y;
    }

private:
    bool adds_;
    std::shared_ptr<ConvNorm> expand_, depthwise_, project_;
};

// Expansion t, channels c, blocks n, stride s of the first.
struct MobileNetStage {
    std::int64_t expansion, channels, blocks, stride;
};
constexpr MobileNetStage kMobileNetStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

class MobileNetNetwork final : public Network {
public:
    MobileNetNetwork(const BuildContext& context, const MobileNetParams& params)
        : dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        std::int64_t channels = multipleOf8(32 * params.widthMultiplier);
        stem_ = register_module("stem", std::make_shared<ConvNorm>(context.input.shape[0], channels, 3, 2));
        for (const MobileNetStage& stage : kMobileNetStages) {
            const std::int64_t out = multipleOf8(static_cast<double>(stage.channels) * params.widthMultiplier);
            for (std::int64_t i = 0; i < stage.blocks; ++i) {
                addBlock(std::exchange(channels, out), out, i == 0 ? stage.stride : 1, stage.expansion);
            }
        }
        const std::int64_t last = multipleOf8(1280 * std::max(1.0, params.widthMultiplier));
        last_ = register_module("last", std::make_shared<ConvNorm>(channels, last, 1));
        fc_ = register_module("fc", torch::nn::Linear(last, context.input.classes));
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override {
        x = rectify6(stem_->forward(x));
        for (const auto& block : blocks_) x = block->forward(x);
        x = rectify6(last_->forward(x));
        return fc_(dropout_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1)));
    }

private:
    void addBlock(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t expansion) {
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size() + 1),
                                          std::make_shared<InvertedResidual>(in, out, stride, expansion)));
    }

    std::shared_ptr<ConvNorm> stem_, last_;
    std::vector<std::shared_ptr<InvertedResidual>> blocks_;
    std::shared_ptr<Dropout> dropout_;
    torch::nn::Linear fc_{nullptr};
};

class MobileNetV2 final : public Classifier {
public:
    explicit MobileNetV2(const MobileNetParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestMobileNetImage, "mobilenet_v2"));
        return std::make_shared<MobileNetNetwork>(context, params_);
    }

private:
    MobileNetParams params_;
};

const ModelRegistry::Add<MobileNetV2, MobileNetParams> kMobileNetEntry{
    "mobilenet_v2", "MobileNetV2: inverted residuals, depthwise convolutions", "arXiv 1801.04381"};

}  // namespace
}  // namespace dasgd
