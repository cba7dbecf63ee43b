// AlexNet as one column (Krizhevsky, One weird trick for parallelizing convolutional neural networks, arXiv 1404.5997),
// without local response normalisation: the layers of torchvision's `alexnet`. 61,100,840 parameters on 3x224x224 and
// 1,000 classes; smaller and larger images are averaged to 6x6 before the fully connected part.
#include <ATen/ops/adaptive_avg_pool2d.h>

#include "core/models/dropout.h"
#include "core/models/images/plain_network.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestAlexNetImage = 63;  // leaves 1x1 after the last pooling

struct AlexNetParams {
    double dropout = 0.5;
    void visit(auto&& f) {
        f(dropout, "dropout",
          dropoutField("Share of units dropped in training before the first and the second fully connected layer"));
    }
};

class AlexNetNetwork final : public PlainNetwork {
public:
    AlexNetNetwork(const BuildContext& context, const AlexNetParams& params) : PlainNetwork(context, params.dropout) {
        addConvolution(torch::nn::Conv2dOptions(context.input.shape[0], 64, 11).stride(4).padding(2));
        addConvolution(torch::nn::Conv2dOptions(64, 192, 5).padding(2));
        addConvolution(torch::nn::Conv2dOptions(192, 384, 3).padding(1));
        addConvolution(torch::nn::Conv2dOptions(384, 256, 3).padding(1));
        addConvolution(torch::nn::Conv2dOptions(256, 256, 3).padding(1));
        addConnected(256 * 6 * 6, 4096, 4096, context.input.classes);
    }

    at::Tensor forward(at::Tensor x) override {
        x = convolved(x, 3, 2);
        x = dropout_->forward(at::adaptive_avg_pool2d(x, {6, 6}).flatten(1));
        x = dropout_->forward(fc1_(x).relu_());
        return fc3_(fc2_(x).relu_());
    }
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
