#include <gtest/gtest.h>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

const InputSpec kPair{.shape = {6}, .classes = 2};

// g = −1[y·wx < 1]·yx, the mean over the batch.
TEST(LinearSvmTest, GradientIsTheSubgradientOfTheHinge) {
    const auto model = buildModel("linear_svm", kPair, table({{"bias", boolean(false)}}));
    model->module().to(torch::kFloat64);
    at::Tensor w = model->module().parameters().at(0);
    {
        const at::NoGradGuard noGrad;
        w.copy_(torch::linspace(-1, 1, 6, torch::kFloat64).view({1, 6}));
    }
    const Batch batch = randomBatch(kPair, 20, torch::kFloat64);
    model->loss(batch).backward();
    at::Tensor expected = torch::zeros({6}, torch::kFloat64);
    int within = 0;
    for (int i = 0; i < 20; ++i) {
        const double y = batch.targets[i].item<std::int64_t>() == 1 ? 1 : -1;
        if (y * batch.inputs[i].dot(w[0].detach()).item<double>() >= 1) continue;
        ++within;
        expected -= y * batch.inputs[i] / 20;
    }
    ASSERT_GT(within, 0);
    ASSERT_LT(within, 20) << "both sides of the margin are tried";
    EXPECT_TRUE(w.grad()[0].allclose(expected, 1e-12, 1e-14));
}

TEST(LinearSvmTest, NormsAreThoseOfEachSamplesGradient) {
    for (const bool bias : {false, true}) {
        for (const std::int64_t classes : {2, 4}) {
            const InputSpec input{.shape = {6}, .classes = classes};
            const auto model = buildModel("linear_svm", input, table({{"bias", boolean(bias)}}));
            model->module().to(torch::kFloat64);
            {
                const at::NoGradGuard noGrad;
                for (at::Tensor& parameter : model->module().parameters()) parameter.normal_(0, 0.4);
            }
            expectNormsOfEachSample(*model, randomBatch(input, 9, torch::kFloat64));
        }
    }
}

TEST(LinearSvmTest, HasAWeightVectorForTwoClassesAndOneEachForMore) {
    EXPECT_EQ(parameterCount(*buildModel("linear_svm", kPair)), 6 + 1);
    EXPECT_EQ(parameterCount(*buildModel("linear_svm", {.shape = {2, 3}, .classes = 4})), 4 * (6 + 1));
    EXPECT_EQ(parameterCount(*buildModel("linear_svm", kPair, table({{"bias", boolean(false)}}))), 6);
}

// Points on both sides of x₀ = 0, at a distance: full-batch subgradient steps must separate them.
TEST(LinearSvmTest, SeparatesWhatIsSeparable) {
    const InputSpec plane{.shape = {2}, .classes = 2};
    const auto model = buildModel("linear_svm", plane);
    Batch batch = randomBatch(plane, 64);
    batch.inputs.select(1, 0).copy_((batch.targets * 2 - 1) * (1 + batch.inputs.select(1, 0).abs()));
    for (int step = 0; step < 200; ++step) {
        model->module().zero_grad();
        model->loss(batch).backward();
        const at::NoGradGuard noGrad;
        for (at::Tensor& parameter : model->module().parameters()) parameter.sub_(parameter.grad(), 0.5);
    }
    const Evaluation evaluation = model->evaluate(batch);
    EXPECT_EQ(evaluation.correct, 64);
    EXPECT_EQ(evaluation.lossSum, 0) << "every point has its margin";
}

TEST(LinearSvmTest, RefusesValues) {
    const InputSpec values{.shape = {6}, .classes = 1, .task = Task::kRegression};
    EXPECT_NE(refusalOf("linear_svm", values).find("learns classes"), std::string::npos);
}

const ModelTrial::Add kLinearSvmTrial{{.model = "linear_svm", .input = {.shape = {6}, .classes = 4}}};

}  // namespace
}  // namespace dasgd::test
