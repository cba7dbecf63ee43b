// When and how ranks average. Ordinary blocking code against StepContext; one object a rank. One .cpp each, registered
// by its last line. What only some algorithms need (state to save, roles, an update or an evaluation of their own) is
// in extensions.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/registry.h"
#include "core/cost/communication_pattern.h"

namespace dasgd {

class StepContext;

// What is known of a run before any of its ranks starts.
struct RunFacts {
    int workers = 1;
    std::int64_t steps = 0;         // of one rank
    std::int64_t batch = 0;         // samples of one rank in one step
    std::int64_t microBatches = 1;  // that they are accumulated from
    std::string model, backend;
    bool byFormula = false;  // simulated, by a formula for each communication: messages share no link
    bool clips = false;      // train.gradient_clip
    bool layerwise = false;  // the optimiser's steps (OptimizerTraits)
    std::vector<std::vector<std::int64_t>> parameterShapes;  // in order of registration
};

class Algorithm {
public:
    // What it sends and when it waits, as far as its fields tell: the last argument of a registration. What declares
    // nothing is not forecast by formula.
    using Traits = CommunicationPattern;
    virtual ~Algorithm() = default;
    // Rules that the algorithm's fields alone cannot tell. Called where an experiment is checked, before any rank
    // starts. The error's field is one of the algorithm's own ("groups") or a key of another section ("train.steps").
    // Default: accepts.
    [[nodiscard]] virtual std::optional<FieldError> check(const RunFacts&) const { return std::nullopt; }
    // Once, before the first step, with equal weights everywhere (synchronous SGD hooks its buckets here; a snapshot at
    // step 0 leaves here). Default: nothing.
    virtual void start(StepContext&) {}
    // Gradients are there, the optimiser has not stepped. Default: nothing.
    virtual void afterBackward(StepContext&) {}
    // The local step is done: merge if due, then snapshot, then launch.
    virtual void afterStep(StepContext&) = 0;
    // Nothing is in flight after it. Called at the end and before a stop. An average that is not due yet is dropped:
    // every local step it had seen is in the local weights too.
    virtual void drain(StepContext&) = 0;
    // Steps of a round: after so many it has launched and awaited all that it ever does. 0: it never communicates, so
    // that its ranks run apart. Times are taken over whole rounds. Default: every step.
    [[nodiscard]] virtual std::int64_t roundSteps() const { return 1; }
    // Whether in a run of `steps` steps no rank ever waits for another one's steps, so that how far apart they get has
    // no bound. Default: where it never communicates.
    [[nodiscard]] virtual bool runsApart([[maybe_unused]] std::int64_t steps) const { return roundSteps() == 0; }
    // Whether it is only a model of the time that one takes: it leaves the weights alone, so that it can be used in
    // virtual runs without maths alone. Default: no.
    [[nodiscard]] virtual bool isTimeOnly() const { return false; }
};

using AlgorithmRegistry = Registry<Algorithm>;

}  // namespace dasgd
