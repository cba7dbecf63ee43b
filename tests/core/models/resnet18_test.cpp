#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

using test::integer;
using test::table;

const InputSpec kColour{.shape = {3, 32, 32}, .classes = 10};

TEST(ResNet18Test, HasTheParametersOfResNet18ForSmallImages) {
    EXPECT_EQ(test::parameterCount(*test::buildModel("resnet18", kColour)), 11'173'962);
}

TEST(ResNet18Test, KeepsStatisticsOfTwentyNorms) {
    auto model = test::buildModel("resnet18", kColour, table({{"width", integer(4)}}));
    // Running mean, running variance and a count each.
    EXPECT_EQ(model->module().buffers().size(), 20U * 3);
}

TEST(ResNet18Test, WidthScalesEveryStage) {
    auto model = test::buildModel("resnet18", kColour, table({{"width", integer(8)}}));
    const auto parameters = model->module().named_parameters();
    EXPECT_EQ(parameters["stem.weight"].sizes(), at::IntArrayRef({8, 3, 3, 3}));
    EXPECT_EQ(parameters["block3.shortcut.weight"].sizes(), at::IntArrayRef({16, 8, 1, 1}));
    EXPECT_EQ(parameters["block8.conv2.weight"].sizes(), at::IntArrayRef({64, 64, 3, 3}));
    EXPECT_EQ(parameters["fc.weight"].sizes(), at::IntArrayRef({10, 64}));
}

TEST(ResNet18Test, GradientsMatchFiniteDifferences) {
    const InputSpec small{.shape = {3, 16, 16}, .classes = 4};
    auto model = test::buildModel("resnet18", small, table({{"width", integer(2)}}));
    model->module().to(torch::kFloat64);
    test::expectGradientsMatchDifferences(*model, test::randomBatch(small, 3, torch::kFloat64));
}

TEST(ResNet18Test, TrainingMovesTheStatisticsAndEvaluationDoesNot) {
    auto model = test::buildModel("resnet18", kColour, table({{"width", integer(4)}}));
    const at::Tensor mean = model->module().named_buffers()["norm.running_mean"];
    const Batch batch = test::randomBatch(kColour, 2);
    model->evaluate(batch);
    EXPECT_EQ(mean.abs().sum().item<float>(), 0);
    (void)model->loss(batch);
    EXPECT_GT(mean.abs().sum().item<float>(), 0);
    const at::Tensor before = mean.clone();
    model->evaluate(batch);
    EXPECT_TRUE(mean.equal(before));
}

TEST(ResNet18Test, RefusesSmallImages) {
    auto model = test::createModel("resnet18");
    EXPECT_FALSE(model->build({.input = {.shape = {3, 8, 8}, .classes = 10}}));
}

const test::ModelTrial::Add kResNet18Trial{{.model = "resnet18",
                                            .input = {.shape = {3, 16, 16}, .classes = 5},
                                            .fields = test::table({{"width", test::integer(4)}})}};

}  // namespace
}  // namespace dasgd
