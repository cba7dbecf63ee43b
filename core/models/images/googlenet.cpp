// GoogLeNet (Szegedy et al., arXiv 1409.4842) in torchvision's variant: BatchNorm after every convolution, no auxiliary
// classifiers, and 3x3 convolutions where the paper's modules have 5x5. 6,624,904 parameters on 3x224x224 and 1,000
// classes.
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/cat.h>

#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestGoogLeNetImage = 47;  // leaves 2x2: BatchNorm needs more than one value

struct GoogLeNetParams {
    double dropout = 0.2;
    void visit(auto&& f) {
        f(dropout, "dropout", dropoutField("Share of values dropped in training before the last layer"));
    }
};

// Channels of a module's branches: 1x1; twice 3x3 with the reduction before it; 1x1 after pooling.
struct InceptionChannels {
    std::int64_t direct, reduce3, out3, reduce5, out5, pooled;
    [[nodiscard]] std::int64_t all() const { return direct + out3 + out5 + pooled; }
};

// Max pooling that rounds up, as all poolings of the network do.
at::Tensor poolUp(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0) {
    return at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding}, {1, 1}, true);
}

class Inception final : public torch::nn::Module {
public:
    Inception(std::int64_t in, const InceptionChannels& channels)
        : direct_(register_module("direct", std::make_shared<ConvNorm>(in, channels.direct, 1))),
          reduce3_(register_module("reduce3", std::make_shared<ConvNorm>(in, channels.reduce3, 1))),
          conv3_(register_module("conv3", std::make_shared<ConvNorm>(channels.reduce3, channels.out3, 3))),
          reduce5_(register_module("reduce5", std::make_shared<ConvNorm>(in, channels.reduce5, 1))),
          conv5_(register_module("conv5", std::make_shared<ConvNorm>(channels.reduce5, channels.out5, 3))),
          pooled_(register_module("pooled", std::make_shared<ConvNorm>(in, channels.pooled, 1))) {}

    at::Tensor forward(const at::Tensor& x) {
        const at::Tensor wide3 = conv3_->forward(reduce3_->forward(x).relu_());
        const at::Tensor wide5 = conv5_->forward(reduce5_->forward(x).relu_());
        return at::cat({direct_->forward(x), wide3, wide5, pooled_->forward(poolUp(x, 3, 1, 1))}, 1).relu_();
    }

private:
    std::shared_ptr<ConvNorm> direct_, reduce3_, conv3_, reduce5_, conv5_, pooled_;
};

constexpr InceptionChannels kInceptions[] = {
    {64, 96, 128, 16, 32, 32},     {128, 128, 192, 32, 96, 64},    // 3a, 3b
    {192, 96, 208, 16, 48, 64},    {160, 112, 224, 24, 64, 64},    // 4a, 4b
    {128, 128, 256, 24, 64, 64},   {112, 144, 288, 32, 64, 64},    // 4c, 4d
    {256, 160, 320, 32, 128, 128},                                 // 4e
    {256, 160, 320, 32, 128, 128}, {384, 192, 384, 48, 128, 128},  // 5a, 5b
};
constexpr std::size_t kFirstOfFourth = 2, kFirstOfFifth = 7;

class GoogLeNetNetwork final : public Network {
public:
    GoogLeNetNetwork(const BuildContext& context, const GoogLeNetParams& params)
        : conv1_(register_module("conv1", std::make_shared<ConvNorm>(context.input.shape[0], 64, 7, 2))),
          conv2_(register_module("conv2", std::make_shared<ConvNorm>(64, 64, 1))),
          conv3_(register_module("conv3", std::make_shared<ConvNorm>(64, 192, 3))),
          dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        std::int64_t channels = 192;
        for (const InceptionChannels& next : kInceptions) {
            inceptions_.push_back(register_module("inception" + std::to_string(inceptions_.size() + 1),
                                                  std::make_shared<Inception>(channels, next)));
            channels = next.all();
        }
        fc_ = register_module("fc", torch::nn::Linear(channels, context.input.classes));
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override {
        x = poolUp(conv1_->forward(x), 3, 2).relu_();
        x = conv2_->forward(x).relu_();
        x = poolUp(conv3_->forward(x), 3, 2).relu_();
        for (std::size_t i = 0; i < inceptions_.size(); ++i) {
            if (i == kFirstOfFourth) x = poolUp(x, 3, 2);
            if (i == kFirstOfFifth) x = poolUp(x, 2, 2);
            x = inceptions_[i]->forward(x);
        }
        return fc_(dropout_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1)));
    }

private:
    std::shared_ptr<ConvNorm> conv1_, conv2_, conv3_;
    std::vector<std::shared_ptr<Inception>> inceptions_;
    std::shared_ptr<Dropout> dropout_;
    torch::nn::Linear fc_{nullptr};
};

class GoogLeNet final : public Classifier {
public:
    explicit GoogLeNet(const GoogLeNetParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestGoogLeNetImage, "googlenet"));
        return std::make_shared<GoogLeNetNetwork>(context, params_);
    }

private:
    GoogLeNetParams params_;
};

const ModelRegistry::Add<GoogLeNet, GoogLeNetParams> kGoogLeNetEntry{
    "googlenet", "GoogLeNet with BatchNorm, without auxiliary classifiers", "arXiv 1409.4842"};

}  // namespace
}  // namespace dasgd
