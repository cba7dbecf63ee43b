// Optimisers: one local step on the flat parameters. The step exists once; algorithms decide when to average.
#pragma once

#include <ATen/ops/zeros_like.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/registry.h"
#include "core/step/archive.h"
#include "core/step/flat_params.h"

namespace dasgd {

struct OptimizerTraits {
    // A step takes norms of whole parameters, so it cannot be taken in parts.
    bool layerwise = false;
    // A step treats matrices of hidden layers apart and is of no use without one (core/step/hidden_matrices.h).
    bool needsHiddenMatrices = false;
};

class Optimizer {
public:
    using Traits = OptimizerTraits;  // the last argument of a registration
    virtual ~Optimizer() = default;
    // w ← U(w, g) in place; allocates its flat state on first use.
    virtual void step(FlatParams& params, double learningRate) = 0;
    [[nodiscard]] virtual double learningRate() const = 0;  // as configured; the schedule scales it
    // Flat state tensors of shape [N] (momentum …) in a fixed order; empty before the first step and after reset().
    [[nodiscard]] virtual std::vector<at::Tensor> state() = 0;
    // Number of tensors that state() has after a step.
    [[nodiscard]] virtual std::int64_t stateTensors() const = 0;
    // Returns to the state before the first step: nothing of the gradients seen so far is kept.
    virtual void reset() = 0;
    // An optimiser of the same settings for the elements begin … end − 1 of the flat tensors alone, with copies of
    // their state: its next step treats them as the next step of this one, where they are whole parameters. Clipping is
    // by the norm of these alone.
    [[nodiscard]] virtual std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const = 0;
    // Saves, between two steps, state() and the counters beside it; nothing before the first step.
    virtual void save(Archive& archive) const = 0;
    // Restores a save into a new object with the same fields; its next step is the one after the save. Errors: state
    // that is missing or belongs to another model.
    virtual Status load(const Archive& archive, FlatParams& params) = 0;
};

// Interface of an optimiser whose steps, after the first ones, are the same work on the device each time: that work can
// be captured once and given again (core/train/device/captured_update.h). Optional: callers ask by dynamic_cast.
// Without it a step uses its learning rate, or its counters, on the host.
class SteadyStep {
public:
    virtual ~SteadyStep() = default;
    // True where the next step is such a step: neither the first nor the one after reset(), which make the state.
    [[nodiscard]] virtual bool isSteady() const = 0;
    // Like step(), with the learning rate in a scalar [] float32 where the weights are, rounded to that. Reads and
    // writes the same memory in all steady steps and changes nothing else. Only where isSteady().
    virtual void steadyStep(FlatParams& params, const at::Tensor& learningRate) = 0;
};

// A copy of the elements begin … end − 1 of an optimiser's state, which may not have begun: then undefined.
[[nodiscard]] inline at::Tensor copyOfState(const at::Tensor& state, std::int64_t begin, std::int64_t end) {
    return state.defined() ? state.narrow(0, begin, end - begin).clone() : at::Tensor();
}

// Reads a tensor of an optimiser's state [N] named `name`, for `params`. Errors: as Archive::read().
[[nodiscard]] inline Result<at::Tensor> readState(const Archive& archive, const std::string& name, FlatParams& params) {
    at::Tensor state = at::zeros_like(params.weights());
    DASGD_TRY(archive.read(name, state));
    return state;
}

using OptimizerRegistry = Registry<Optimizer>;

}  // namespace dasgd
