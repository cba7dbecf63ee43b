// AlexNet as one column (Krizhevsky, One weird trick for parallelizing convolutional neural networks, arXiv 1404.5997),
// without local response normalisation: the layers of torchvision's `alexnet`. 61,100,840 parameters on 3x224x224 and
// 1,000 classes; smaller and larger images are averaged to 6x6 before the fully connected part.
#include <ATen/ops/adaptive_avg_pool2d.h>

#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestAlexNetImage = 63;  // leaves 1x1 after the last pooling

struct AlexNetParams {
    double dropout = 0.5;
    void visit(auto&& f) {
        f(dropout, "dropout",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .help = "Share of units dropped in training before the first and the second fully connected layer"});
    }
};

class AlexNetNetwork final : public Network {
public:
    AlexNetNetwork(const BuildContext& context, const AlexNetParams& params)
        : dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        addConvolution(context.input.shape[0], 64, 11, 4, 2);
        addConvolution(64, 192, 5, 1, 2);
        addConvolution(192, 384, 3, 1, 1);
        addConvolution(384, 256, 3, 1, 1);
        addConvolution(256, 256, 3, 1, 1);
        fc1_ = register_module("fc1", torch::nn::Linear(256 * 6 * 6, 4096));
        fc2_ = register_module("fc2", torch::nn::Linear(4096, 4096));
        fc3_ = register_module("fc3", torch::nn::Linear(4096, context.input.classes));
    }

    at::Tensor forward(at::Tensor x) override {
        for (std::size_t i = 0; i < convolutions_.size(); ++i) {
            x = convolutions_[i](x);
            const bool pools = i < 2 || i + 1 == convolutions_.size();
            x = pools ? poolAndRectify(x, 3, 2) : x.relu_();
        }
        x = dropout_->forward(at::adaptive_avg_pool2d(x, {6, 6}).flatten(1));
        x = dropout_->forward(fc1_(x).relu_());
        return fc3_(fc2_(x).relu_());
    }

private:
    void addConvolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding) {
        convolutions_.push_back(register_module(
            "conv" + std::to_string(convolutions_.size() + 1),
            torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding))));
    }

    std::vector<torch::nn::Conv2d> convolutions_;
    std::shared_ptr<Dropout> dropout_;
    torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};

class AlexNet final : public Classifier {
public:
    explicit AlexNet(const AlexNetParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 224, 224}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestAlexNetImage, "alexnet"));
        return std::make_shared<AlexNetNetwork>(context, params_);
    }

private:
    AlexNetParams params_;
};

const ModelRegistry::Add<AlexNet, AlexNetParams> kAlexNetEntry{
    "alexnet", "AlexNet as one column, without normalisation", "arXiv 1404.5997"};

}  // namespace
}  // namespace dasgd
