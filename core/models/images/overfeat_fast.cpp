// OverFeat, fast model (Sermanet et al., arXiv 1312.6229, table 1). 145.9 M parameters on 3x231x231 and 1,000 classes,
// where the convolutions leave 6x6; the first fully connected layer has the size that the images ask for.
#include "core/models/classifier.h"
#include "core/models/dropout.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestOverFeatImage = 71;  // leaves 1x1 before the fully connected part

std::int64_t overFeatExtent(std::int64_t image) {
    const std::int64_t first = ((image - 11) / 4 + 1) / 2;
    return (first - 4) / 2 / 2;
}

struct OverFeatParams {
    double dropout = 0.5;
    void visit(auto&& f) {
        f(dropout, "dropout",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .help = "Share of units dropped in training after the first and the second fully connected layer"});
    }
};

class OverFeatNetwork final : public Network {
public:
    OverFeatNetwork(const BuildContext& context, const OverFeatParams& params)
        : dropout_(register_module("dropout", std::make_shared<Dropout>(params.dropout, context.random))) {
        const auto& image = context.input.shape;
        addConvolution(torch::nn::Conv2dOptions(image[0], 96, 11).stride(4));
        addConvolution(torch::nn::Conv2dOptions(96, 256, 5));
        addConvolution(torch::nn::Conv2dOptions(256, 512, 3).padding(1));
        addConvolution(torch::nn::Conv2dOptions(512, 1024, 3).padding(1));
        addConvolution(torch::nn::Conv2dOptions(1024, 1024, 3).padding(1));
        const std::int64_t units = 1024 * overFeatExtent(image[1]) * overFeatExtent(image[2]);
        fc1_ = register_module("fc1", torch::nn::Linear(units, 3072));
        fc2_ = register_module("fc2", torch::nn::Linear(3072, 4096));
        fc3_ = register_module("fc3", torch::nn::Linear(4096, context.input.classes));
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override {
        for (std::size_t i = 0; i < convolutions_.size(); ++i) {
            x = convolutions_[i](x);
            const bool pools = i < 2 || i + 1 == convolutions_.size();
            x = pools ? poolAndRectify(x, 2, 2) : x.relu_();
        }
        x = dropout_->forward(fc1_(x.flatten(1)).relu_());
        x = dropout_->forward(fc2_(x).relu_());
        return fc3_(x);
    }

private:
    void addConvolution(const torch::nn::Conv2dOptions& options) {
        convolutions_.push_back(
            register_module("conv" + std::to_string(convolutions_.size() + 1), torch::nn::Conv2d(options)));
    }

    std::vector<torch::nn::Conv2d> convolutions_;
    std::shared_ptr<Dropout> dropout_;
    torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};

class OverFeatFast final : public Classifier {
public:
    explicit OverFeatFast(const OverFeatParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 231, 231}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestOverFeatImage, "overfeat_fast"));
        return std::make_shared<OverFeatNetwork>(context, params_);
    }

private:
    OverFeatParams params_;
};

const ModelRegistry::Add<OverFeatFast, OverFeatParams> kOverFeatEntry{"overfeat_fast", "OverFeat, the fast model",
                                                                      "arXiv 1312.6229"};

}  // namespace
}  // namespace dasgd
