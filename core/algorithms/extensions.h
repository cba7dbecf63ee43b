// What an algorithm may be besides an Algorithm. Each interface is optional: a class inherits those that it needs, and
// the worker loop asks for them by dynamic_cast. Without one, the default that its comment names applies. They are
// apart from Algorithm so that every interface stays small and no algorithm answers "not supported".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/base/result.h"
#include "core/step/roles.h"

namespace dasgd {

class Archive;
class Optimizer;
class StepContext;

// Can be saved between two steps and restored on a new object. Default: a run of the algorithm cannot be resumed.
class Checkpointed {
public:
    virtual ~Checkpointed() = default;
    // On every rank after the same step. Awaits what is in flight and keeps its result for its merge; the run goes on
    // as if nothing had been saved. Throws CommError.
    virtual void save(StepContext& context, Archive& archive) = 0;
    // In place of start(), on a new object with the same fields: the next step is the one after the save, and weights
    // and optimiser are as they were then. Errors: state that is missing or of another model.
    virtual Status load(StepContext& context, const Archive& archive) = 0;
};

// Can begin behind any step of a run, from weights and an optimiser's state that all ranks have in common: so a run of
// it can go on with another number of ranks. What is in flight, and what it keeps besides, is left behind. Default: a
// run goes on with as many ranks as it had.
class Elastic {
public:
    virtual ~Elastic() = default;
    // In place of start(), behind step context.step() of these ranks, which was step `before` of those before.
    virtual void startBehind(StepContext& context, std::int64_t before) = 0;
};

// Updates the weights itself. Default: optimizer.step(params, learningRate).
class OwnUpdate {
public:
    virtual ~OwnUpdate() = default;
    // Gradients are there and afterBackward() has returned. Not called where only time is simulated.
    virtual void update(StepContext& context, Optimizer& optimizer) = 0;
};

// Names the weights that are evaluated, and that the run ends with. Default: the mean over the ranks that train.
class NamesWeights {
public:
    virtual ~NamesWeights() = default;
    // This rank's part of them, [N]; the named weights are the sum over all ranks. Undefined: nothing is added. Called
    // between two steps, on every rank after the same step, and before start() too. From the rank's own state: it
    // neither communicates nor waits, and changes nothing, so that an evaluation brings no average forward. What is in
    // flight may therefore be missing, unless it is a sum: then each rank can name what left it.
    [[nodiscard]] virtual at::Tensor namedWeights(StepContext& context) = 0;
};

// Some ranks serve instead of training. Default: all train.
class HasRoles {
public:
    virtual ~HasRoles() = default;
    // The same answer everywhere; of `ranks` >= 1. At least one rank has to train, or the experiment is refused.
    [[nodiscard]] virtual Roles roles(int ranks) const = 0;
    // A serving rank's part in step context.step(), in place of the local step, afterBackward() and afterStep(). Takes
    // part in start(), drain() and evaluations as every rank does.
    virtual void serve(StepContext& context) = 0;
};

}  // namespace dasgd
