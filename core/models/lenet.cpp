// LeNet-5 (LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998) with ReLU and max pooling:
// conv 6@5x5 padded by 2, pool, conv 16@5x5, pool, 120, 84, classes. 61,706 parameters on 1x28x28 and 10 classes.
#include "core/models/classifier.h"
#include "core/models/layers.h"

namespace dasgd {
namespace {

constexpr std::int64_t kSmallestImage = 12;  // leaves 1x1 before the fully connected part

std::int64_t extentAfterConvolutions(std::int64_t extent) { return (extent / 2 - 4) / 2; }

class LeNetNetwork final : public LayeredNetwork {
public:
    explicit LeNetNetwork(const InputSpec& input) {
        const auto convolution = [&](const char* name, const torch::nn::Conv2dOptions& options) {
            return register_module(name, torch::nn::Conv2d(options));
        };
        const auto linear = [&](const char* name, std::int64_t in, std::int64_t out) {
            return register_module(name, torch::nn::Linear(in, out));
        };
        const auto conv1 = convolution("conv1", torch::nn::Conv2dOptions(input.shape[0], 6, 5).padding(2));
        const auto conv2 = convolution("conv2", torch::nn::Conv2dOptions(6, 16, 5));
        const auto fc1 =
            linear("fc1", 16 * extentAfterConvolutions(input.shape[1]) * extentAfterConvolutions(input.shape[2]), 120);
        const auto fc2 = linear("fc2", 120, 84);
        const auto fc3 = linear("fc3", 84, input.classes);
        addLayer({conv1}, [=](const at::Tensor& x) { return poolAndRectify(conv1->forward(x), 2, 2); });
        addLayer({conv2}, [=](const at::Tensor& x) { return poolAndRectify(conv2->forward(x), 2, 2).flatten(1); });
        addLayer({fc1}, [=](const at::Tensor& x) { return fc1->forward(x).relu_(); });
        addLayer({fc2}, [=](const at::Tensor& x) { return fc2->forward(x).relu_(); });
        addLayer({fc3}, [=](const at::Tensor& x) { return fc3->forward(x); });
    }
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
