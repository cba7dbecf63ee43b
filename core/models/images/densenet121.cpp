// DenseNet-121 (Huang et al., arXiv 1608.06993, table 1), bottlenecks of 4 times the growth and transitions that halve
// the channels. 7,978,856 parameters at growth 32 on 3x224x224 and 1,000 classes.
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>

#include "core/models/classifier.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestDenseNetImage = 61;  // leaves 2x2: BatchNorm needs more than one value
constexpr std::int64_t kDenseNetBlocks[] = {6, 12, 24, 16};
constexpr std::int64_t kDenseNetBottleneck = 4;

struct DenseNetParams {
    std::int64_t growth = 32;
    void visit(auto&& f) {
        f(growth, "growth",
          {.min = 2, .max = 256, .unit = "channels", .symbol = "k", .help = "Channels that each layer adds"});
    }
};

// Norm, ReLU and convolution, in this order.
class NormConv final : public torch::nn::Module {
public:
    NormConv(std::int64_t in, std::int64_t out, std::int64_t kernel)
        : norm_(register_module("norm", torch::nn::BatchNorm2d(in))),
          conv_(register_module("conv", convolution(in, out, kernel))) {}
    at::Tensor forward(const at::Tensor& x) { return conv_(norm_(x).relu_()); }

private:
    torch::nn::BatchNorm2d norm_;
    torch::nn::Conv2d conv_;
};

class DenseNetNetwork final : public Network {
public:
    DenseNetNetwork(const InputSpec& input, std::int64_t growth) {
        std::int64_t channels = 2 * growth;
        stem_ = register_module("stem", std::make_shared<ConvNorm>(input.shape[0], channels, 7, 2));
        for (const std::int64_t layers : kDenseNetBlocks) {
            if (channels > 2 * growth) addTransition(channels);
            for (std::int64_t i = 0; i < layers; ++i) addLayer(channels, growth);
        }
        norm_ = register_module("norm", torch::nn::BatchNorm2d(channels));
        fc_ = register_module("fc", torch::nn::Linear(channels, input.classes));
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override {
        x = poolAndRectify(stem_->forward(x), 3, 2, 1);
        std::size_t layer = 0;
        for (std::size_t block = 0; block < std::size(kDenseNetBlocks); ++block) {
            if (block > 0) x = at::avg_pool2d(transitions_[block - 1]->forward(x), {2, 2}, {2, 2});
            for (std::int64_t i = 0; i < kDenseNetBlocks[block]; ++i, ++layer) {
                x = at::cat({x, expansions_[layer]->forward(reductions_[layer]->forward(x))}, 1);
            }
        }
        return fc_(at::adaptive_avg_pool2d(norm_(x).relu_(), {1, 1}).flatten(1));
    }

private:
    void addLayer(std::int64_t& channels, std::int64_t growth) {
        const std::string name = "layer" + std::to_string(reductions_.size() + 1);
        const std::int64_t between = kDenseNetBottleneck * growth;
        reductions_.push_back(register_module(name + "reduce", std::make_shared<NormConv>(channels, between, 1)));
        expansions_.push_back(register_module(name + "expand", std::make_shared<NormConv>(between, growth, 3)));
        channels += growth;
    }
    void addTransition(std::int64_t& channels) {
        transitions_.push_back(register_module("transition" + std::to_string(transitions_.size() + 1),
                                               std::make_shared<NormConv>(channels, channels / 2, 1)));
        channels /= 2;
    }

    std::shared_ptr<ConvNorm> stem_;
    std::vector<std::shared_ptr<NormConv>> reductions_, expansions_, transitions_;
    torch::nn::BatchNorm2d norm_{nullptr};
    torch::nn::Linear fc_{nullptr};
};

class DenseNet121 final : public Classifier {
public:
    explicit DenseNet121(const DenseNetParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestDenseNetImage, "densenet121"));
        return std::make_shared<DenseNetNetwork>(context.input, params_.growth);
    }

private:
    DenseNetParams params_;
};

const ModelRegistry::Add<DenseNet121, DenseNetParams> kDenseNetEntry{"densenet121", "DenseNet-121", "arXiv 1608.06993"};

}  // namespace
}  // namespace dasgd
