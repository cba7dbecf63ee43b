#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

const InputSpec kDigits{.shape = {1, 28, 28}, .classes = 10};

TEST(LeNetTest, HasTheParametersOfLeNet5) {
    EXPECT_EQ(test::parameterCount(*test::buildModel("lenet", kDigits)), 61'706);
}

// The textbook order: convolution, ReLU, pooling. The model pools first, which must change nothing.
TEST(LeNetTest, EqualsTheTextbookNetworkInLossAndGradient) {
    auto model = test::buildModel("lenet", kDigits);
    const Batch batch = test::randomBatch(kDigits, 4);
    const auto p = model->module().parameters();
    const at::Tensor loss = model->loss(batch);
    const auto ours = torch::autograd::grad({loss}, p);

    at::Tensor x = torch::max_pool2d(torch::relu(torch::conv2d(batch.inputs, p[0], p[1], 1, 2)), 2);
    x = torch::max_pool2d(torch::relu(torch::conv2d(x, p[2], p[3])), 2).flatten(1);
    for (std::size_t layer : {4U, 6U}) x = torch::relu(torch::linear(x, p[layer], p[layer + 1]));
    const at::Tensor reference = torch::cross_entropy_loss(torch::linear(x, p[8], p[9]), batch.targets);
    const auto theirs = torch::autograd::grad({reference}, p);

    EXPECT_NEAR(loss.item<float>(), reference.item<float>(), 1e-6);
    for (std::size_t i = 0; i < p.size(); ++i)
        EXPECT_TRUE(ours[i].allclose(theirs[i], 1e-5, 1e-7)) << "parameter " << i;
}

TEST(LeNetTest, TakesColourImagesOfOtherSizes) {
    const InputSpec colour{.shape = {3, 32, 40}, .classes = 5};
    auto model = test::buildModel("lenet", colour);
    EXPECT_EQ(model->evaluate(test::randomBatch(colour, 2)).samples, 2);
}

TEST(LeNetTest, RefusesWhatIsNoImageOrTooSmall) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{784}, {1, 11, 28}}) {
        auto model = test::createModel("lenet");
        const Status status = model->build({.input = {.shape = shape, .classes = 10}});
        ASSERT_FALSE(status);
        EXPECT_NE(status.error().message.find("12x12"), std::string::npos) << status.error().message;
    }
}

TEST(LeNetTest, SmallestImagePasses) {
    const InputSpec smallest{.shape = {1, 12, 12}, .classes = 10};
    auto model = test::buildModel("lenet", smallest);
    EXPECT_TRUE(model->loss(test::randomBatch(smallest, 2)).isfinite().item<bool>());
}

const test::ModelTrial::Add kLeNetTrial{{.model = "lenet", .input = {.shape = {3, 12, 12}, .classes = 5}}};

}  // namespace
}  // namespace dasgd
