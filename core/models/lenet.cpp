// LeNet-5 (LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998) with ReLU and max pooling:
// conv 6@5x5 padded by 2, pool, conv 16@5x5, pool, 120, 84, classes. 61,706 parameters on 1x28x28 and 10 classes.
#include "core/models/classifier.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestImage = 12;  // leaves 1x1 before the fully connected part

std::int64_t extentAfterConvolutions(std::int64_t extent) { return (extent / 2 - 4) / 2; }

class LeNetNetwork final : public Network {
public:
    explicit LeNetNetwork(const InputSpec& input)
        : conv1_(
              register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(input.shape[0], 6, 5).padding(2)))),
          conv2_(register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(6, 16, 5)))),
          fc1_(register_module(
              "fc1", torch::nn::Linear(
                         16 * extentAfterConvolutions(input.shape[1]) * extentAfterConvolutions(input.shape[2]), 120))),
          fc2_(register_module("fc2", torch::nn::Linear(120, 84))),
          fc3_(register_module("fc3", torch::nn::Linear(84, input.classes))) {}

    at::Tensor forward(at::Tensor x) override {
        x = poolAndRectify(conv1_(x), 2, 2);
        x = poolAndRectify(conv2_(x), 2, 2).flatten(1);
        x = fc1_(x).relu_();
        x = fc2_(x).relu_();
        return fc3_(x);
    }

private:
    torch::nn::Conv2d conv1_, conv2_;
    torch::nn::Linear fc1_, fc2_, fc3_;
};

class LeNet final : public Classifier {
public:
    explicit LeNet(const NoParams&) {}
    InputSpec naturalInput() const override { return {.shape = {1, 28, 28}, .classes = 10}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        DASGD_TRY(checkImage(context.input, kSmallestImage, "lenet"));
        return std::make_shared<LeNetNetwork>(context.input);
    }
};

const ModelRegistry::Add<LeNet> kLenetEntry{"lenet", "LeNet-5 with ReLU and max pooling", "LeCun et al. 1998"};

}  // namespace
}  // namespace dasgd
