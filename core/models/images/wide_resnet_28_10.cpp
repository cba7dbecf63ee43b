// Wide residual network (Zagoruyko and Komodakis, arXiv 1605.07146): three stages of blocks that normalise before they
// convolve, `widen` times as wide as ResNet's for small images. 36,479,194 parameters at 28-10 on 3x32x32 and 10
// classes; the paper says 36.5 M.
#include <ATen/ops/adaptive_avg_pool2d.h>

#include <optional>

#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestWideResNetImage = 5;  // leaves 2x2: BatchNorm needs more than one value
constexpr std::int64_t kWideResNetStem = 16;

struct WideResNetParams {
    std::int64_t depth = 28;
    std::int64_t widen = 10;
    double dropout = 0;
    void visit(auto&& f) {
        f(depth, "depth", {.min = 10, .max = 1000, .unit = "layers", .help = "Convolutions, 6n + 4"});
        f(widen, "widen", {.min = 1, .max = 64, .symbol = "k", .help = "Widening factor of the channels 16, 32, 64"});
        f(dropout, "dropout", dropoutField("Share of values dropped in training within a block"));
    }
    std::optional<FieldError> check() const {
        if ((depth - 4) % 6 == 0) return std::nullopt;
        return FieldError{"depth", "depth is " + std::to_string(depth) + "; it must be 6n + 4, as 16, 22, 28, 40"};
    }
};

class WideBlock final : public torch::nn::Module {
public:
    WideBlock(std::int64_t in, std::int64_t out, std::int64_t stride, std::shared_ptr<Dropout> dropout)
        : norm1_(register_module("norm1", torch::nn::BatchNorm2d(in))),
          conv1_(register_module("conv1", convolution(in, out, 3, stride))),
          norm2_(register_module("norm2", torch::nn::BatchNorm2d(out))),
          conv2_(register_module("conv2", convolution(out, out, 3))),
          dropout_(std::move(dropout)) {
        if (stride == 1 && in == out) return;
        shortcut_ = register_module("shortcut", convolution(in, out, 1, stride));
    }
    at::Tensor forward(const at::Tensor& x) {
        const at::Tensor active = norm1_(x).relu_();
        at::Tensor y = norm2_(conv1_(active)).relu_();
        y = conv2_(dropout_->forward(y));
        return y + (shortcut_ ? shortcut_(active) : x);
    }

private:
    torch::nn::BatchNorm2d norm1_;
    torch::nn::Conv2d conv1_;
    torch::nn::BatchNorm2d norm2_;
    torch::nn::Conv2d conv2_;
    torch::nn::Conv2d shortcut_{nullptr};
    std::shared_ptr<Dropout> dropout_;
};

class WideResNetNetwork final : public Network {
public:
    WideResNetNetwork(const BuildContext& context, const WideResNetParams& params)
        : stem_(register_module("stem", convolution(context.input.shape[0], kWideResNetStem, 3))),
          dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        std::int64_t channels = kWideResNetStem;
        for (int stage = 0; stage < 3; ++stage) {
            const std::int64_t out = (kWideResNetStem * params.widen) << stage;
            for (std::int64_t i = 0; i < (params.depth - 4) / 6; ++i) {
                addBlock(std::exchange(channels, out), out, stage > 0 && i == 0 ? 2 : 1);
            }
        }
        norm_ = register_module("norm", torch::nn::BatchNorm2d(channels));
        fc_ = register_module("fc", torch::nn::Linear(channels, context.input.classes));
        initializeHe(*this);
    }
    at::Tensor forward(at::Tensor x) override {
        x = stem_(x);
        for (const auto& block : blocks_) x = block->forward(x);
        return fc_(at::adaptive_avg_pool2d(norm_(x).relu_(), {1, 1}).flatten(1));
    }

private:
    void addBlock(std::int64_t in, std::int64_t out, std::int64_t stride) {
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size() + 1),
                                          std::make_shared<WideBlock>(in, out, stride, dropout_)));
    }

    torch::nn::Conv2d stem_;
    std::shared_ptr<Dropout> dropout_;
    std::vector<std::shared_ptr<WideBlock>> blocks_;
    torch::nn::BatchNorm2d norm_{nullptr};
    torch::nn::Linear fc_{nullptr};
};

class WideResNet final : public Classifier {
public:
    explicit WideResNet(const WideResNetParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 32, 32}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestWideResNetImage, "wide_resnet_28_10"));
        return std::make_shared<WideResNetNetwork>(context, params_);
    }

private:
    WideResNetParams params_;
};

const ModelRegistry::Add<WideResNet, WideResNetParams> kWideResNetEntry{
    "wide_resnet_28_10", "Wide residual network 28-10 for small images", "arXiv 1605.07146"};

}  // namespace
}  // namespace dasgd
