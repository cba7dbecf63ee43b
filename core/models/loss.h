// Losses that training minimises, as functions of a network's outputs, for every model that is a Network.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/base/result.h"
#include "core/models/model.h"

namespace dasgd {

enum class Loss {
    // Cross entropy of classes, outputs [B, classes]; or of the tokens of a text, outputs [B, T, classes], with equal
    // weights.
    kCrossEntropy,
    // Mean of the squared errors over the values of a sample, outputs [B, values].
    kMeanSquaredError,
    // Hinge loss. Outputs [B, 1] for two classes: max(0, 1 − y·s) with y = −1 for class 0 and +1 for class 1. Outputs
    // [B, classes] for more: max(0, 1 + max_{j≠y} s_j − s_y) (Crammer and Singer, JMLR 2, 2001).
    kHinge,
};

// Loss that a task is trained with unless the model chooses another.
[[nodiscard]] Loss usualLoss(Task task);

// Scalar mean over the samples, or over the tokens of a text; `computed` are the outputs, in float32, float64 or
// bfloat16. `smoothing`, for cross entropy alone: the share of a target that all classes divide among themselves (label
// smoothing, arXiv 1512.00567, section 7).
[[nodiscard]] at::Tensor meanLoss(Loss loss, const at::Tensor& computed, const at::Tensor& targets,
                                  double smoothing = 0);

// [B]: the loss of each sample, of a text the mean over its tokens.
[[nodiscard]] at::Tensor sampleLosses(Loss loss, const at::Tensor& computed, const at::Tensor& targets,
                                      double smoothing = 0);

// Gradient of the sum of sampleLosses() by the outputs, in their shape.
[[nodiscard]] at::Tensor lossGradients(Loss loss, const at::Tensor& outputs, const at::Tensor& targets,
                                       double smoothing = 0);

// Sums over the same samples or tokens; `correct` counts classes and tokens whose output is the largest, and is 0 for
// values.
[[nodiscard]] Evaluation evaluationOf(Loss loss, const at::Tensor& computed, const at::Tensor& targets);

// Shape of a network's outputs for `batch` samples.
[[nodiscard]] std::vector<std::int64_t> outputShape(const InputSpec& input, std::int64_t batch);

// Refuses data whose task is not among `tasks`, and fewer than 2 classes or 1 value.
[[nodiscard]] Status checkTask(const InputSpec& input, const std::vector<Task>& tasks);

}  // namespace dasgd
