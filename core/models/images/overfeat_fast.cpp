// OverFeat, fast model (Sermanet et al., arXiv 1312.6229, table 1). 145.9 M parameters on 3x231x231 and 1,000 classes,
// where the convolutions leave 6x6; the first fully connected layer has the size that the images ask for.
#include "core/models/images/plain_network.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestOverFeatImage = 71;  // leaves 1x1 before the fully connected part

std::int64_t overFeatExtent(std::int64_t image) {
    const std::int64_t first = ((image - 11) / 4 + 1) / 2;
    return (first - 4) / 2 / 2;
}

class OverFeatNetwork final : public PlainNetwork {
public:
    OverFeatNetwork(const BuildContext& context, const DropoutAfterParams& params)
        : PlainNetwork(context, params.dropout) {
        const auto& image = context.input.shape;
        addConvolution(torch::nn::Conv2dOptions(image[0], 96, 11).stride(4));
        addConvolution(torch::nn::Conv2dOptions(96, 256, 5));
        addConvolution(torch::nn::Conv2dOptions(256, 512, 3).padding(1));
        addConvolution(torch::nn::Conv2dOptions(512, 1024, 3).padding(1));
        addConvolution(torch::nn::Conv2dOptions(1024, 1024, 3).padding(1));
        const std::int64_t units = 1024 * overFeatExtent(image[1]) * overFeatExtent(image[2]);
        addConnected(units, 3072, 4096, context.input.classes);
        initializeHe(*this);
    }

    at::Tensor forward(at::Tensor x) override { return connected(convolved(std::move(x), 2, 2).flatten(1)); }
};

class OverFeatFast final : public Classifier {
public:
    explicit OverFeatFast(const DropoutAfterParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {3, 231, 231}, .classes = 1000}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestOverFeatImage, "overfeat_fast"));
        return std::make_shared<OverFeatNetwork>(context, params_);
    }

private:
    DropoutAfterParams params_;
};

const ModelRegistry::Add<OverFeatFast, DropoutAfterParams> kOverFeatEntry{"overfeat_fast", "OverFeat, the fast model",
                                                                          "arXiv 1312.6229"};

}  // namespace
}  // namespace dasgd
