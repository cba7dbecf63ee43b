// Algorithms: when and how ranks average. Ordinary blocking code against StepContext; one object a rank. One .cpp each,
// registered by its last line. Interfaces that only some algorithms need (state to save, roles, an update or an
// evaluation of their own) are in extensions.h.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/base/schema/fields.h"
#include "core/base/schema/registry.h"
#include "core/cost/communication_pattern.h"

namespace dasgd {

class StepContext;

// Facts about a run that are known before any of its ranks starts.
struct RunOutline {
    int workers = 1;
    std::int64_t steps = 0;         // steps of one rank
    std::int64_t batch = 0;         // samples of one rank in one step
    std::int64_t microBatches = 1;  // number of micro-batches that make up the batch of a rank in one step
    std::string model, backend;
    bool onGpus = false;              // each rank computes on one
    bool byFormula = false;           // simulated by a formula for each communication: messages share no link
    bool clips = false;               // train.gradient_clip
    bool layerwise = false;           // the optimiser's steps are (OptimizerTraits)
    std::int64_t optimizerState = 0;  // number of tensors that the optimiser keeps: momentum, for example
    bool decaysWeights = false;       // optimizer.weight_decay
    std::int64_t fixedBatches = 1;    // StepContext::fixedBatches()
    bool sharesWork = false;          // train.work is "shared", as it is for some algorithms anyway
    std::int64_t tables = 0;          // embedding tables of the model, its first parameters
    std::vector<std::vector<std::int64_t>> parameterShapes;  // in order of registration
    std::int64_t elementBytes = 4;
    double hostBytes = 1e18;  // memory of this machine

    // Number of the model's weights.
    [[nodiscard]] std::int64_t weights() const {
        std::int64_t sum = 0;
        for (const auto& shape : parameterShapes) {
            sum += std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
        }
        return sum;
    }
};

// Length of a run.
struct RunLength {
    std::int64_t steps = 0;  // of one rank
    int ranks = 1;
};

class Algorithm {
public:
    // Communication pattern as far as the algorithm's fields determine it: the last argument of a registration. An
    // algorithm that declares none is not forecast by formula.
    using Traits = CommunicationPattern;
    virtual ~Algorithm() = default;
    // Checks rules that the algorithm's fields alone cannot express. Called where an experiment is checked, before any
    // rank starts. The error's field is one of the algorithm's own ("groups") or a key of another section
    // ("train.steps"). Default: accepts.
    [[nodiscard]] virtual std::optional<FieldError> check(const RunOutline&) const { return std::nullopt; }
    // Called once, before the first step, with equal weights everywhere (synchronous SGD hooks its buckets here; a
    // snapshot at step 0 leaves here). Default: does nothing.
    virtual void start(StepContext&) {}
    // Called when the gradients exist and the optimiser has not stepped. Default: does nothing.
    virtual void afterBackward(StepContext&) {}
    // Called when the local step is done: merge if due, then snapshot, then launch.
    virtual void afterStep(StepContext&) = 0;
    // Completes or drops all communication in flight. Called at the end and before a stop. An average that is not due
    // yet is dropped: every local step it had seen is in the local weights too.
    virtual void drain(StepContext&) = 0;
    // Number of steps in a round, within which it has launched and awaited each of its operations once. 0: it never
    // communicates, so its ranks never wait for each other. Times are taken over whole rounds. Default: every step.
    [[nodiscard]] virtual std::int64_t roundSteps() const { return 1; }
    // True where in such a run nothing bounds the number of steps between two ranks. Default: where ranks never
    // communicate.
    [[nodiscard]] virtual bool hasUnboundedSkew(const RunLength&) const { return roundSteps() == 0; }
    // True where it only models the time of another algorithm: it leaves the weights alone, so it can be used only in
    // virtual runs without maths. Default: no.
    [[nodiscard]] virtual bool isTimeOnly() const { return false; }
};

using AlgorithmRegistry = Registry<Algorithm>;

}  // namespace dasgd
