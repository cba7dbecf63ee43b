#include <gtest/gtest.h>

#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

const InputSpec kInput{.shape = {2, 3}, .classes = 4};

// ∂L/∂W = (softmax(Wx + b) − onehot(y))ᵀ x / B
TEST(LogisticTest, GradientIsTheClosedForm) {
    auto model = test::buildModel("logistic", kInput);
    model->module().to(torch::kFloat64);
    const Batch batch = test::randomBatch(kInput, 5, torch::kFloat64);
    model->loss(batch).backward();

    const auto parameters = model->module().parameters();
    const at::Tensor x = batch.inputs.flatten(1);
    const at::Tensor logits = x.mm(parameters[0].detach().t()) + parameters[1].detach();
    const at::Tensor excess = (torch::softmax(logits, 1) - torch::one_hot(batch.targets, 4)) / 5;
    EXPECT_TRUE(parameters[0].grad().allclose(excess.t().mm(x), 1e-12, 1e-14));
    EXPECT_TRUE(parameters[1].grad().allclose(excess.sum(0), 1e-12, 1e-14));
}

// Each sample's gradient by itself, of all parameters together.
TEST(LogisticTest, NormsAreThoseOfEachSamplesGradient) {
    auto model = test::buildModel("logistic", kInput);
    model->module().to(torch::kFloat64);
    const Batch batch = test::randomBatch(kInput, 6, torch::kFloat64);
    test::expectNormsOfEachSample(*model, batch);
}

TEST(LogisticTest, HasOneLayer) { EXPECT_EQ(test::parameterCount(*test::buildModel("logistic", kInput)), 6 * 4 + 4); }

TEST(LogisticTest, EvaluationSumsOverTheBatch) {
    auto model = test::buildModel("logistic", kInput);
    const Batch batch = test::randomBatch(kInput, 7);
    const Evaluation evaluation = model->evaluate(batch);
    EXPECT_EQ(evaluation.samples, 7);
    EXPECT_NEAR(evaluation.lossSum, 7 * model->loss(batch).item<double>(), 1e-4);

    const auto parameters = model->module().parameters();
    const at::Tensor logits = batch.inputs.flatten(1).mm(parameters[0].t()) + parameters[1];
    EXPECT_EQ(evaluation.correct, logits.argmax(1).eq(batch.targets).sum().item<std::int64_t>());
}

// (1 − ε)·CE(y) + ε·mean over the classes of CE, in the training loss and not in the evaluation.
TEST(LogisticTest, LabelsAreSmoothedInTheTrainingLossAlone) {
    auto model = test::createModel("logistic");
    const auto random = at::detail::createCPUGenerator(3);
    ASSERT_TRUE(model->build({.input = kInput, .labelSmoothing = 0.2, .random = random}));
    const Batch batch = test::randomBatch(kInput, 9);
    const auto parameters = model->module().parameters();
    const at::Tensor logits = batch.inputs.flatten(1).mm(parameters[0].t()) + parameters[1];
    const at::Tensor minusLog = -torch::log_softmax(logits, 1);
    const at::Tensor plain = minusLog.gather(1, batch.targets.unsqueeze(1)).mean();
    const at::Tensor smoothed = 0.8 * plain + 0.2 * minusLog.mean();
    EXPECT_NEAR(model->loss(batch).item<double>(), smoothed.item<double>(), 1e-5);
    EXPECT_NEAR(model->evaluate(batch).lossSum, 9 * plain.item<double>(), 1e-4);
}

TEST(LogisticTest, RefusesASingleClass) {
    auto model = test::createModel("logistic");
    EXPECT_FALSE(model->build({.input = {.shape = {4}, .classes = 1}}));
}

const test::ModelTrial::Add kLogisticTrial{{.model = "logistic", .input = {.shape = {6}, .classes = 4}}};

}  // namespace
}  // namespace dasgd
