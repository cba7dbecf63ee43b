// A network with its loss. One .cpp each; the class hides there and is registered by its last line.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/registry.h"
#include "core/base/result.h"

namespace torch::nn {
class Module;
}

namespace dasgd {

// Shape of one sample, channels first ({1, 28, 28}), and how many classes there are.
struct InputSpec {
    std::vector<std::int64_t> shape;
    std::int64_t classes = 0;
};

// inputs [B, …shape], floating; targets [B], int64. Both undefined for a model that needs no data.
struct Batch {
    at::Tensor inputs;
    at::Tensor targets;
};

struct BuildContext {
    InputSpec input;
    Rank rank;                  // among those that train
    int workers = 1;            // that train
    bool timeOnly = false;      // no loss is computed; only its FLOP are counted
    double labelSmoothing = 0;  // of loss(), not of evaluate()
    // The rank's own stream, for what loss() draws. LibTorch's default generator is one for all threads of a process:
    // what is drawn from it in loss() is not the same on every backend.
    at::Generator random;
};

// Sums over the samples of a batch.
struct Evaluation {
    double lossSum = 0;
    std::int64_t correct = 0;
    std::int64_t samples = 0;
};

class Model {
public:
    virtual ~Model() = default;
    // Makes the modules; the caller has seeded the default generator. Errors: an input this network cannot take.
    virtual Status build(const BuildContext& context) = 0;
    [[nodiscard]] virtual torch::nn::Module& module() = 0;
    // Scalar mean loss over the batch, in training mode, differentiable. Draws from BuildContext::random alone, so it
    // uses core/models/dropout.h and not torch::nn::Dropout.
    [[nodiscard]] virtual at::Tensor loss(const Batch& batch) = 0;
    // In evaluation mode, without gradients.
    [[nodiscard]] virtual Evaluation evaluate(const Batch& batch) = 0;
    // What `synthetic` data takes when the user gives no shape; an empty shape: the model needs no data at all.
    [[nodiscard]] virtual InputSpec naturalInput() const = 0;
};

using ModelRegistry = Registry<Model>;

}  // namespace dasgd
