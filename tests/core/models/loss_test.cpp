#include "core/models/loss.h"

#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>

namespace dasgd {
namespace {

TEST(LossTest, CrossEntropyOfATextIsTheMeanOverItsTokens) {
    const at::Tensor outputs = torch::randn({2, 3, 5}, torch::kFloat64);
    const at::Tensor targets = torch::tensor({{0, 4, 2}, {1, 1, 3}}, torch::kInt64);
    double sum = 0;
    std::int64_t correct = 0;
    for (int row = 0; row < 2; ++row) {
        for (int place = 0; place < 3; ++place) {
            const at::Tensor scores = outputs[row][place];
            const auto token = targets[row][place].item<std::int64_t>();
            sum += scores.exp().sum().log().item<double>() - scores[token].item<double>();
            correct += scores.argmax().item<std::int64_t>() == token ? 1 : 0;
        }
    }
    EXPECT_NEAR(meanLoss(Loss::kCrossEntropy, outputs, targets).item<double>(), sum / 6, 1e-12);
    const Evaluation evaluation = evaluationOf(Loss::kCrossEntropy, outputs, targets);
    EXPECT_NEAR(evaluation.lossSum, sum, 1e-12);
    EXPECT_EQ(evaluation.correct, correct);
    EXPECT_EQ(evaluation.samples, 6) << "every token is a sample";
}

TEST(LossTest, SquaredErrorIsTheMeanOverTheValuesOfASample) {
    const at::Tensor outputs = torch::tensor({{1.0, 2.0}, {0.0, -1.0}, {3.0, 3.0}}, torch::kFloat64);
    const at::Tensor targets = torch::tensor({{0.0, 2.0}, {0.0, 1.0}, {0.0, 3.0}}, torch::kFloat64);
    EXPECT_DOUBLE_EQ(meanLoss(Loss::kMeanSquaredError, outputs, targets).item<double>(), (0.5 + 2 + 4.5) / 3);
    const Evaluation evaluation = evaluationOf(Loss::kMeanSquaredError, outputs, targets);
    EXPECT_DOUBLE_EQ(evaluation.lossSum, 0.5 + 2 + 4.5);
    EXPECT_EQ(evaluation.samples, 3);
    EXPECT_EQ(evaluation.correct, 0) << "values are no classes";
}

TEST(LossTest, HingeOfTwoClassesIsThatOfOneScore) {
    const at::Tensor scores = torch::tensor({{0.5}, {-2.0}, {3.0}, {-0.25}}, torch::kFloat64);
    const at::Tensor targets = torch::tensor({1, 0, 0, 1}, torch::kInt64);
    EXPECT_DOUBLE_EQ(meanLoss(Loss::kHinge, scores, targets).item<double>(), (0.5 + 0 + 4 + 1.25) / 4);
    const Evaluation evaluation = evaluationOf(Loss::kHinge, scores, targets);
    EXPECT_DOUBLE_EQ(evaluation.lossSum, 5.75);
    EXPECT_EQ(evaluation.correct, 2);
}

TEST(LossTest, HingeOfMoreClassesIsAgainstTheNearestOther) {
    const at::Tensor scores = torch::tensor({{2.0, 1.5, -1.0}, {0.0, 4.0, 1.0}}, torch::kFloat64).requires_grad_();
    const at::Tensor targets = torch::tensor({0, 1}, torch::kInt64);
    const at::Tensor loss = meanLoss(Loss::kHinge, scores, targets);
    EXPECT_DOUBLE_EQ(loss.item<double>(), 0.5 / 2) << "the second sample has its margin";
    loss.backward();
    const at::Tensor expected = torch::tensor({{-0.5, 0.5, 0.0}, {0.0, 0.0, 0.0}}, torch::kFloat64);
    EXPECT_TRUE(scores.grad().equal(expected)) << scores.grad();
}

TEST(LossTest, RefusesTargetsOfAnotherTask) {
    const auto refused = [](const InputSpec& input, const std::vector<Task>& tasks) {
        const Status status = checkTask(input, tasks);
        return status ? "" : status.error().message;
    };
    const InputSpec values{.shape = {4}, .classes = 1, .task = Task::kRegression};
    EXPECT_EQ(refused(values, {Task::kRegression}), "");
    EXPECT_EQ(refused(values, {Task::kClassification, Task::kLanguage}),
              "the model learns classes or the tokens of a text; the targets of the data are floating-point values. "
              "Choose other data or another model");
    EXPECT_NE(refused({.shape = {4}, .classes = 1}, {Task::kClassification}).find("at least 2 classes"),
              std::string::npos);
    EXPECT_NE(refused({.shape = {4, 4}, .classes = 9, .task = Task::kLanguage}, {Task::kLanguage}).find("one extent"),
              std::string::npos);
    EXPECT_NE(refused({.shape = {4}, .classes = 0, .task = Task::kRegression}, {Task::kRegression}).find("1 value"),
              std::string::npos);
}

TEST(LossTest, OutputsHaveTheShapeOfTheTask) {
    const std::vector<std::int64_t> classes{7, 10}, tokens{7, 12, 10};
    EXPECT_EQ(outputShape({.shape = {3, 8, 8}, .classes = 10}, 7), classes);
    EXPECT_EQ(outputShape({.shape = {12}, .classes = 10, .task = Task::kLanguage}, 7), tokens);
}

}  // namespace
}  // namespace dasgd
