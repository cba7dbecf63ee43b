// Everything that an algorithm can use during a step. The same algorithm runs in real and in simulated time: nothing
// here tells it which.
//
// In a time-only run nothing is computed: time is simulated, tensors hold no trained values, and no metrics are
// recorded.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/metric_names.h"
#include "core/comm/communicator.h"
#include "core/exec/executor.h"
#include "core/gpu/tensor_device.h"
#include "core/step/flat_params.h"
#include "core/step/gradient_feed.h"

namespace dasgd {

class Optimizer;

class StepContext {
public:
    // Optional parts, which the worker loop always sets and a test may leave out.
    struct Extras {
        Optimizer* optimizer = nullptr;
        std::uint64_t seed = 0;                                // seed of the run
        std::function<void(std::string_view, double)> metric;  // records a metric; empty: metrics are dropped
        TensorDevice* device = nullptr;                        // device on which the rank computes; null: the CPU
        std::int64_t fixedBatches = 1;                         // see fixedBatches()
        std::int64_t stepsPerEpoch = 0;                        // of the run's plan; 0: there are no epochs
    };

    // `samples`: number of samples on which one rank trains in one step, see samples().
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples = 1)
        : StepContext(comm, clock, params, executor, samples, Extras()) {}
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples,
                Extras extras);

    [[nodiscard]] Communicator& comm() { return comm_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    [[nodiscard]] FlatParams& params() { return params_; }
    // Every piece of work and every wait goes through the executor.
    [[nodiscard]] Executor& executor() { return executor_; }
    // Tells a listener which gradients the backward pass under way has ready.
    [[nodiscard]] GradientFeed& gradientFeed() { return gradientFeed_; }

    // Device on which the rank computes; null: the CPU. For algorithms that measure; none has to wait for the device.
    [[nodiscard]] TensorDevice* device() { return extras_.device; }

    // Optimiser of this rank; a rank that serves has one too. In a time-only run it never steps and has no state.
    // Precondition: Extras::optimizer was set.
    [[nodiscard]] Optimizer& optimizer() {
        DASGD_CHECK(extras_.optimizer && "the worker loop gives one");
        return *extras_.optimizer;
    }
    // Random streams for algorithms, seeded by the run. random() differs from rank to rank. sharedRandom() gives the
    // same numbers on all ranks as long as every rank makes the same draws in the same order.
    [[nodiscard]] at::Generator& random() { return random_; }
    [[nodiscard]] at::Generator& sharedRandom() { return sharedRandom_; }
    // Seed of the run, for draws that a key determines and not the order in which they are made.
    [[nodiscard]] std::uint64_t seed() const { return extras_.seed; }
    // Records a metric of this rank at the present step, under its full name, which storage/format.md lists. Does
    // nothing where Extras::metric is empty, as in time-only runs.
    void record(std::string_view name, double value) {
        if (extras_.metric) extras_.metric(name, value);
    }
    // Records a metric that only this algorithm has: record() under the name algorithm/<name>.
    void metric(std::string_view name, double value) { record(metrics::kAlgorithm + std::string(name), value); }

    // Number of samples on which this rank trains in one step. The last batch of an epoch may have fewer; this number
    // does not change with it.
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    // Number m of the batches that make up each pass of this rank, where step k always trains on batch (k − 1) mod m of
    // them (and without data, 1); 0 where batches are drawn anew.
    [[nodiscard]] std::int64_t fixedBatches() const { return extras_.fixedBatches; }
    // Number of epochs completed before the present step.
    [[nodiscard]] std::int64_t epoch() const {
        return extras_.stepsPerEpoch > 0 && step_ > 0 ? (step_ - 1) / extras_.stepsPerEpoch : 0;
    }
    // Number k of the present step, counted from 1: from the forward pass of step k to the end of afterStep(). In
    // start() of a run that begins or resumes it is the number of completed steps.
    [[nodiscard]] std::int64_t step() const { return step_; }
    // Number of the last step before the algorithm's own rule begins: 0, the last of its synchronous steps
    // (sync_steps.h), or the step from which a run with another number of ranks resumed.
    [[nodiscard]] std::int64_t origin() const { return origin_; }
    // Number of the present step, counted by the algorithm's own rule.
    [[nodiscard]] std::int64_t ownSteps() const { return step_ - origin_; }
    // Makes step `step` + 1 the first of the algorithm's own rule. Called by sync_steps.h.
    void beginRuleAfter(std::int64_t step) { origin_ = step; }
    // Learning rate of the present step; 0 in start() of a run that begins or resumes.
    [[nodiscard]] double learningRate() const { return learningRate_; }

    // Loss of this rank in the step just made, a 0-dimensional tensor on the device of the rank; reading its value
    // waits for the device. The next step may overwrite it, so copy it to keep it. Undefined before the first step, on
    // a rank that serves and in a time-only run.
    [[nodiscard]] const at::Tensor& loss() const { return loss_; }

    // The next two are called only by the worker loop.
    //
    // Sets loss().
    void noteLoss(at::Tensor loss) { loss_ = std::move(loss); }
    // Sets step() and learningRate(), and the step that the executor's spans carry.
    void moveTo(std::int64_t step, double learningRate) {
        step_ = step;
        learningRate_ = learningRate;
        executor_.moveTo(step);
    }

private:
    Communicator& comm_;
    Clock& clock_;
    FlatParams& params_;
    Executor& executor_;
    GradientFeed gradientFeed_;
    std::int64_t samples_;
    Extras extras_;
    at::Generator random_, sharedRandom_;
    std::int64_t step_ = 0;
    std::int64_t origin_ = 0;
    double learningRate_ = 0;
    at::Tensor loss_;
};

}  // namespace dasgd
