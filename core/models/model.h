// A model: a network with its loss. One .cpp each; the class hides there and is registered by its last line.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/schema/registry.h"
#include "core/models/device_sum.h"

namespace torch::nn {
class Module;
}

namespace dasgd {

// Kind of target: one of `classes` classes; `classes` floating-point values; or, at each of the T places of a text, the
// next of `classes` tokens.
enum class Task { kClassification, kRegression, kLanguage };

// Categorical features of a sample, as the last of its numbers: feature by feature `lookups` row numbers, each a whole
// number from 0 to `rows` − 1.
struct Categories {
    std::int64_t features = 0;
    std::int64_t rows = 0;
    std::int64_t lookups = 1;
};

// Shape of one sample: channels first ({1, 28, 28}); {T} for text.
struct InputSpec {
    std::vector<std::int64_t> shape;
    std::int64_t classes = 0;
    Task task = Task::kClassification;
    Categories categories = {};  // of a model with embedding tables (embedding_tables.h)
};

// inputs [B, …shape], floating, or int64 tokens [B, T]; targets int64 [B], floating [B, classes], or int64 tokens [B,
// T]. Both undefined for a model that needs no data.
struct Batch {
    at::Tensor inputs;
    at::Tensor targets;
    // int64 [B]: the samples' numbers in the training set, on the device of the set. Defined where a Samples made it.
    at::Tensor indices = {};
    // Floating [B]: factors on the samples' losses in Model::loss(). Undefined: all are 1. Only models that are
    // HasSampleLosses (sample_losses.h) are given any.
    at::Tensor weights = {};
};

struct BuildContext {
    InputSpec input;
    Rank rank;                  // number among those that train
    int workers = 1;            // number of ranks that train
    bool timeOnly = false;      // no loss is computed; only its FLOP are counted
    double labelSmoothing = 0;  // for loss(), not for evaluate()
    // Type of parameters and floating inputs in training. build() makes parameters in it or in float32, and FlatParams
    // converts them before the first batch.
    at::ScalarType type = at::kFloat;
    // The rank's own stream for the numbers that loss() draws, on the device on which the model will train: build()
    // makes its tensors on the CPU, and FlatParams moves parameters and buffers there before the first batch.
    // LibTorch's default generator is shared by all threads of a process: numbers drawn from it in loss() would not be
    // the same on every backend.
    at::Generator random;
};

// Sums over the samples of a batch; each predicted token of a text counts as one sample. `correct` is 0 where targets
// are not classes.
struct Evaluation {
    DeviceSum lossSum;
    DeviceSum correct;
    std::int64_t samples = 0;
};

// setPassState() of a network that keeps nothing between two batches. Errors: a state that is not empty.
[[nodiscard]] inline Status refusePassState(const std::vector<at::Tensor>& state) {
    if (state.empty()) return {};
    return fail("the saved state is of a network that goes on from batch to batch, which this one does not");
}

class Model {
public:
    virtual ~Model() = default;
    // Makes the modules; the caller has seeded the default generator. Errors: an input this network cannot take.
    virtual Status build(const BuildContext& context) = 0;
    [[nodiscard]] virtual torch::nn::Module& module() = 0;
    // Scalar mean loss over the batch, each sample's times its weight, in training mode, differentiable. Draws from
    // BuildContext::random alone, so it uses core/models/dropout.h and not torch::nn::Dropout.
    [[nodiscard]] virtual at::Tensor loss(const Batch& batch) = 0;
    // Evaluates the batch in evaluation mode, without gradients.
    [[nodiscard]] virtual Evaluation evaluate(const Batch& batch) = 0;
    // Called before the first batch of an epoch (`training`) and of an evaluation: forgets state carried from batch to
    // batch, such as that of a recurrent network. The two kinds of pass keep separate states.
    virtual void beginPass(bool training) { (void)training; }
    // True where loss() computes with more than its batch and the module's tensors, such as a state carried from batch
    // to batch: its work cannot be captured once and given again then.
    [[nodiscard]] virtual bool isStateful() const { return false; }
    // State carried from batch to batch of training, without random streams: for a checkpoint. Empty where there is
    // none, or before the first batch of an epoch.
    [[nodiscard]] virtual std::vector<at::Tensor> passState() const { return {}; }
    // Restores passState() of the same model; the next batch is the one that followed it. Errors: a state of another
    // model.
    virtual Status setPassState(const std::vector<at::Tensor>& state) { return refusePassState(state); }
    // Input that `synthetic` data makes when the user gives no shape; an empty shape: the model needs no data at all.
    [[nodiscard]] virtual InputSpec naturalInput() const = 0;
};

using ModelRegistry = Registry<Model>;

}  // namespace dasgd
