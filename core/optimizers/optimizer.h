// How to descend: one local step on the flat parameters. Exists once; algorithms decide when to average.
#pragma once

#include <ATen/ops/zeros_like.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/registry.h"
#include "core/base/result.h"
#include "core/step/archive.h"
#include "core/step/flat_params.h"

namespace dasgd {

struct OptimizerTraits {
    // A step takes norms of whole parameters, so that it cannot be taken in parts.
    bool layerwise = false;
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
    // How many tensors state() has after a step.
    [[nodiscard]] virtual std::int64_t stateTensors() const = 0;
    // As before the first step: nothing of the gradients seen so far is kept.
    virtual void reset() = 0;
    // Between two steps: state() and what is counted beside it, as of nothing before the first step.
    virtual void save(Archive& archive) const = 0;
    // On a new object with the same fields, whose next step is the one after the save. Errors: state that is missing or
    // of another model.
    virtual Status load(const Archive& archive, FlatParams& params) = 0;
};

// Of an optimiser whose steps, but for the first ones, are the same work on the device each time: it can be captured
// once and given again (core/train/device/captured_update.h). Optional: whoever needs it asks by dynamic_cast. Default:
// a step computes with its learning rate, or with what it counts, on the host.
class SteadyStep {
public:
    virtual ~SteadyStep() = default;
    // Whether the next step is such a one: neither the first nor the one after reset(), which make the state.
    [[nodiscard]] virtual bool isSteady() const = 0;
    // step() with the rate in a scalar [] float32 where the weights are, rounded to that. Reads and writes the same
    // memory in all steady steps and changes nothing else. Only where isSteady().
    virtual void steadyStep(FlatParams& params, const at::Tensor& learningRate) = 0;
};

// A tensor of an optimiser's state [N] under `name`, made for `params`. Errors: as of Archive::read().
[[nodiscard]] inline Result<at::Tensor> readState(const Archive& archive, const std::string& name, FlatParams& params) {
    at::Tensor state = at::zeros_like(params.weights());
    DASGD_TRY(archive.read(name, state));
    return state;
}

using OptimizerRegistry = Registry<Optimizer>;

}  // namespace dasgd
