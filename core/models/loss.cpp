#include "core/models/loss.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace dasgd {

namespace {

namespace functional = torch::nn::functional;

constexpr std::string_view kTaskNames[] = {"classes", "floating-point values", "the tokens of a text"};

std::string nameOf(Task task) { return std::string(kTaskNames[static_cast<std::size_t>(task)]); }

// Turns [B, T, classes] and [B, T] into [B·T, classes] and [B·T].
at::Tensor perPrediction(const at::Tensor& outputs) { return outputs.dim() > 2 ? outputs.flatten(0, -2) : outputs; }

at::Tensor hingePerSample(const at::Tensor& scores, const at::Tensor& targets) {
    if (scores.size(1) == 1) {
        const at::Tensor sign = targets.to(scores.scalar_type()) * 2 - 1;
        return (1 - sign * scores.squeeze(1)).clamp_min(0);
    }
    const at::Tensor column = targets.unsqueeze(1);
    const at::Tensor own = scores.gather(1, column).squeeze(1);
    const at::Tensor others = scores.scatter(1, column, -std::numeric_limits<double>::infinity()).amax(1);
    return (1 + others - own).clamp_min(0);
}

// Sums of losses are formed in at least float32, whatever type the network computed in.
at::Tensor widened(const at::Tensor& outputs) {
    return outputs.scalar_type() == at::kBFloat16 ? outputs.to(at::kFloat) : outputs;
}

at::Tensor predictedClasses(const at::Tensor& outputs) {
    if (outputs.size(1) == 1) return outputs.squeeze(1).gt(0).to(at::kLong);
    return outputs.argmax(1);
}

}  // namespace

Loss usualLoss(Task task) { return task == Task::kRegression ? Loss::kMeanSquaredError : Loss::kCrossEntropy; }

at::Tensor meanLoss(Loss loss, const at::Tensor& computed, const at::Tensor& targets, double smoothing) {
    const at::Tensor outputs = widened(computed);
    switch (loss) {
        case Loss::kMeanSquaredError: return functional::mse_loss(outputs, targets);
        case Loss::kHinge: return hingePerSample(outputs, targets).mean();
        case Loss::kCrossEntropy: break;
    }
    const auto options = functional::CrossEntropyFuncOptions().label_smoothing(smoothing);
    return functional::cross_entropy(perPrediction(outputs), targets.flatten(), options);
}

at::Tensor sampleLosses(Loss loss, const at::Tensor& computed, const at::Tensor& targets, double smoothing) {
    const at::Tensor outputs = widened(computed);
    switch (loss) {
        case Loss::kMeanSquaredError: return (outputs - targets).square().flatten(1).mean(1);
        case Loss::kHinge: return hingePerSample(outputs, targets);
        case Loss::kCrossEntropy: break;
    }
    const auto options = functional::CrossEntropyFuncOptions().label_smoothing(smoothing).reduction(torch::kNone);
    const at::Tensor each = functional::cross_entropy(perPrediction(outputs), targets.flatten(), options);
    return each.view({targets.size(0), -1}).mean(1);
}

at::Tensor lossGradients(Loss loss, const at::Tensor& outputs, const at::Tensor& targets, double smoothing) {
    const at::AutoGradMode recorded(true);
    const at::Tensor variable = outputs.detach().requires_grad_();
    return torch::autograd::grad({sampleLosses(loss, variable, targets, smoothing).sum()}, {variable})[0];
}

Evaluation evaluationOf(Loss loss, const at::Tensor& computed, const at::Tensor& targets) {
    const at::Tensor outputs = widened(computed);
    Evaluation evaluation{.samples = targets.numel()};
    if (loss == Loss::kMeanSquaredError) {
        evaluation.samples = targets.size(0);
        evaluation.lossSum = (outputs - targets).square().flatten(1).mean(1).sum();
        return evaluation;
    }
    const at::Tensor scores = perPrediction(outputs);
    const at::Tensor classes = targets.flatten();
    const auto options = functional::CrossEntropyFuncOptions().reduction(torch::kSum);
    evaluation.lossSum = loss == Loss::kHinge ? hingePerSample(scores, classes).sum()
                                              : functional::cross_entropy(scores, classes, options);
    evaluation.correct = predictedClasses(scores).eq(classes).sum();
    return evaluation;
}

std::vector<std::int64_t> outputShape(const InputSpec& input, std::int64_t batch) {
    if (input.task == Task::kLanguage) return {batch, input.shape[0], input.classes};
    return {batch, input.classes};
}

Status checkTask(const InputSpec& input, const std::vector<Task>& tasks) {
    if (std::ranges::find(tasks, input.task) == tasks.end()) {
        std::string known;
        for (const Task task : tasks) known += (known.empty() ? "" : " or ") + nameOf(task);
        return fail("the model learns " + known + "; the targets of the data are " + nameOf(input.task) +
                    ". Choose other data or another model");
    }
    if (input.task == Task::kLanguage && input.shape.size() != 1) {
        return fail("a text has samples of one extent, its tokens; the data have " +
                    std::to_string(input.shape.size()) + " extents");
    }
    if (input.task == Task::kRegression) {
        return input.classes >= 1 ? Status{} : fail("regression needs at least 1 value a sample; the data have none");
    }
    if (input.classes >= 2) return {};
    return fail("classification needs at least 2 classes; the data have " + std::to_string(input.classes));
}

}  // namespace dasgd
