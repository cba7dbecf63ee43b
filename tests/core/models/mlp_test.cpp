#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

using test::array;
using test::table;

const InputSpec kTinyImage{.shape = {1, 4, 4}, .classes = 3};

TEST(MlpTest, HiddenWidthsMakeTheLayers) {
    auto model = test::buildModel("mlp", kTinyImage, table({{"hidden", array<std::int64_t>({8, 5})}}));
    EXPECT_EQ(test::parameterCount(*model), (16 * 8 + 8) + (8 * 5 + 5) + (5 * 3 + 3));
}

TEST(MlpTest, WithoutHiddenLayersIsLogisticRegression) {
    auto model = test::buildModel("mlp", kTinyImage, table({{"hidden", Value(Value::Array{})}}));
    auto logistic = test::buildModel("logistic", kTinyImage);
    const Batch batch = test::randomBatch(kTinyImage, 6);
    EXPECT_EQ(model->loss(batch).item<float>(), logistic->loss(batch).item<float>());
}

TEST(MlpTest, GradientsMatchFiniteDifferences) {
    auto model = test::buildModel("mlp", kTinyImage, table({{"hidden", array<std::int64_t>({8, 5})}}));
    model->module().to(torch::kFloat64);
    test::expectGradientsMatchDifferences(*model, test::randomBatch(kTinyImage, 6, torch::kFloat64));
}

TEST(MlpTest, DropoutActsInTrainingAlone) {
    auto model = test::buildModel("mlp", kTinyImage, table({{"dropout", test::number(0.5)}}));
    auto plain = test::buildModel("mlp", kTinyImage);
    const Batch batch = test::randomBatch(kTinyImage, 6);
    EXPECT_NE(model->loss(batch).item<float>(), plain->loss(batch).item<float>());
    EXPECT_NE(model->loss(batch).item<float>(), model->loss(batch).item<float>());
    EXPECT_EQ(model->evaluate(batch).lossSum, plain->evaluate(batch).lossSum) << "the weights do not depend on it";
}

TEST(MlpTest, LearnsValuesBySquaredError) {
    const InputSpec values{.shape = {4}, .classes = 2, .task = Task::kRegression};
    auto model = test::buildModel("mlp", values, table({{"hidden", array<std::int64_t>({8})}}));
    model->module().to(torch::kFloat64);
    const Batch batch = test::randomBatch(values, 6, torch::kFloat64);
    EXPECT_NEAR(model->loss(batch).item<double>(),
                (test::outputsOf(*model, batch.inputs) - batch.targets).square().mean().item<double>(), 1e-12);
    EXPECT_EQ(model->evaluate(batch).correct, 0);
    test::expectGradientsMatchDifferences(*model, batch);
}

TEST(MlpTest, RefusesAnEmptyLayer) {
    const auto model = ModelRegistry::find("mlp")->create(table({{"hidden", array<std::int64_t>({8, 0})}}), {});
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message.find("hidden is 0"), std::string::npos) << model.error().message;
}

const test::ModelTrial::Add kMlpTrial{
    {.model = "mlp", .input = {.shape = {6}, .classes = 4}, .fields = test::table({{"dropout", test::number(0.4)}})}};

}  // namespace
}  // namespace dasgd
