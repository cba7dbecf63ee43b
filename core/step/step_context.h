// Everything that an algorithm has access to during a step. It does not know whether time is real.
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
    // Optional parts that the worker loop adds; a test of one merge may leave them out.
    struct Extras {
        Optimizer* optimizer = nullptr;
        std::uint64_t seed = 0;                                // the run's seed
        std::function<void(std::string_view, double)> metric;  // none: metrics are dropped
        TensorDevice* device = nullptr;                        // device on which the rank computes; null: the processor
    };

    // `samples`: samples of one rank in one step.
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples = 1)
        : StepContext(comm, clock, params, executor, samples, Extras()) {}
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples,
                Extras extras);

    [[nodiscard]] Communicator& comm() { return comm_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    [[nodiscard]] FlatParams& params() { return params_; }
    // Every piece of work and every wait goes through the executor.
    [[nodiscard]] Executor& executor() { return executor_; }
    [[nodiscard]] GradientFeed& gradientFeed() { return gradientFeed_; }

    // Device on which the rank computes; null: the processor. For measurements: an algorithm has no need to wait for
    // it.
    [[nodiscard]] TensorDevice* device() { return extras_.device; }

    // This rank's optimiser; a rank that serves has one too. Where only time is simulated it has no state: it never
    // steps.
    [[nodiscard]] Optimizer& optimizer() {
        DASGD_CHECK(extras_.optimizer && "the worker loop gives one");
        return *extras_.optimizer;
    }
    // Random streams for algorithms, from the run's seed: the first is the rank's own; the second is drawn alike by all
    // ranks as long as all draw alike.
    [[nodiscard]] at::Generator& random() { return random_; }
    [[nodiscard]] at::Generator& sharedRandom() { return sharedRandom_; }
    // Records a number of this rank at the present step, under a name that storage/format.md lists. Does nothing in
    // runs of time only.
    void record(std::string_view name, double value) {
        if (extras_.metric) extras_.metric(name, value);
    }
    // Records a number of the algorithm's own as the metric algorithm/<name>.
    void metric(std::string_view name, double value) { record(metrics::kAlgorithm + std::string(name), value); }

    // Samples that this rank trains on in one step; the last batch of an epoch may have fewer.
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    // Completed local steps k; in afterStep the step just made counts.
    [[nodiscard]] std::int64_t step() const { return step_; }
    // The step after which the algorithm's own rule began: 0, or the last of its synchronous steps (sync_steps.h).
    [[nodiscard]] std::int64_t origin() const { return origin_; }
    // Number of steps made by that rule.
    [[nodiscard]] std::int64_t ownSteps() const { return step_ - origin_; }
    void setOrigin(std::int64_t step) { origin_ = step; }
    // Learning rate of the step just made, or about to be made.
    [[nodiscard]] double learningRate() const { return learningRate_; }

    // Loss of this rank in the step just made: a scalar [] where the rank computes, which on a device nobody has waited
    // for. The next step may write over it, so copy it to keep it. Undefined before the first step, on a rank that
    // serves and where only time is simulated.
    [[nodiscard]] const at::Tensor& loss() const { return loss_; }
    // For the worker loop alone.
    void noteLoss(at::Tensor loss) { loss_ = std::move(loss); }
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
