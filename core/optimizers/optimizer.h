// How to descend: one local step on the flat parameters. Exists once; algorithms decide when to average.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/registry.h"
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
};

using OptimizerRegistry = Registry<Optimizer>;

}  // namespace dasgd
