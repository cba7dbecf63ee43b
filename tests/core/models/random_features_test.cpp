#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

const InputSpec kValues{.shape = {3}, .classes = 1, .task = Task::kRegression};

// Columns of φ: the outputs for weights that pick one feature each.
at::Tensor featuresOf(Model& model, const at::Tensor& x) {
    at::Tensor weight = model.module().parameters().at(0);
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> columns;
    for (std::int64_t feature = 0; feature < weight.size(1); ++feature) {
        weight.zero_();
        weight[0][feature] = 1;
        columns.push_back(outputsOf(model, x).squeeze(1));
    }
    return torch::stack(columns, 1);
}

// φ(x)·φ(y) → exp(−‖x−y‖²/2σ²); the deviation of the mean of M products of cosines is at most √(2/M).
TEST(RandomFeaturesTest, ApproximateTheGaussianKernel) {
    const auto model =
        buildModel("random_features", kValues, table({{"features", integer(4000)}, {"length_scale", number(1.5)}}));
    const at::Tensor x = torch::randn({6, 3});
    const at::Tensor features = featuresOf(*model, x);
    const at::Tensor kernel = (torch::cdist(x, x).square() / (-2 * 1.5 * 1.5)).exp();
    EXPECT_LT((features.mm(features.t()) - kernel).abs().max().item<float>(), 5 * std::sqrt(2.0 / 4000));
}

TEST(RandomFeaturesTest, EveryRankHasTheSameFeatures) {
    const auto one = buildModel("random_features", kValues, table({{"features", integer(8)}}));
    const auto other = createModel("random_features", table({{"features", integer(8)}}));
    at::manual_seed(3);
    ASSERT_TRUE(
        other->build({.input = kValues, .rank = Rank{5}, .workers = 7, .random = at::detail::createCPUGenerator(9)}));
    const at::Tensor x = torch::randn({4, 3});
    EXPECT_TRUE(featuresOf(*one, x).equal(featuresOf(*other, x)));
}

TEST(RandomFeaturesTest, TrainsTheWeightsAlone) {
    const auto model = buildModel("random_features", kValues, table({{"features", integer(50)}}));
    EXPECT_EQ(parameterCount(*model), 50);
    EXPECT_TRUE(model->module().buffers().empty()) << "buffers are averaged over ranks";
}

// At the solution of the normal equations the gradient vanishes.
TEST(RandomFeaturesTest, GradientVanishesAtTheLeastSquaresSolution) {
    const auto model = buildModel("random_features", kValues, table({{"features", integer(10)}}));
    model->module().to(torch::kFloat64);
    const Batch batch = randomBatch(kValues, 40, torch::kFloat64);
    const at::Tensor features = featuresOf(*model, batch.inputs);
    const at::Tensor solution = torch::linalg_solve(features.t().mm(features), features.t().mm(batch.targets));
    at::Tensor weight = model->module().parameters().at(0);
    {
        const at::NoGradGuard noGrad;
        weight.copy_(solution.t());
    }
    const at::Tensor loss = model->loss(batch);
    loss.backward();
    EXPECT_LT(weight.grad().abs().max().item<double>(), 1e-10);
    EXPECT_LT(loss.item<double>(), batch.targets.square().mean().item<double>());
}

TEST(RandomFeaturesTest, RefusesClasses) {
    EXPECT_NE(refusalOf("random_features", {.shape = {3}, .classes = 4}).find("learns floating-point values"),
              std::string::npos);
}

const ModelTrial::Add kRandomFeaturesTrial{
    {.model = "random_features", .input = {.shape = {8}, .classes = 2, .task = Task::kRegression}}};

}  // namespace
}  // namespace dasgd::test
