// All that an algorithm sees of the world. It does not know whether time is real.
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
    // What the worker loop adds; a test of one merge may leave it out.
    struct Extras {
        Optimizer* optimizer = nullptr;
        std::uint64_t seed = 0;                                // of the run
        std::function<void(std::string_view, double)> metric;  // none: metrics are dropped
        TensorDevice* device = nullptr;                        // on which the rank computes; null: the processor
    };

    // `samples`: of one rank in one step.
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples = 1)
        : StepContext(comm, clock, params, executor, samples, Extras()) {}
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples,
                Extras extras);

    [[nodiscard]] Communicator& comm() { return comm_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    [[nodiscard]] FlatParams& params() { return params_; }
    // Through which every piece of work and every wait goes.
    [[nodiscard]] Executor& executor() { return executor_; }
    [[nodiscard]] GradientFeed& gradientFeed() { return gradientFeed_; }

    // On which the rank computes; null: the processor. For who measures: an algorithm has no need to wait for it.
    [[nodiscard]] TensorDevice* device() { return extras_.device; }

    // Of this rank; a rank that serves has one too. Where only time is simulated it has no state: it never steps.
    [[nodiscard]] Optimizer& optimizer() {
        DASGD_CHECK(extras_.optimizer && "the worker loop gives one");
        return *extras_.optimizer;
    }
    // For what an algorithm draws by chance: streams from the run's seed, the first a rank's own, the second drawn
    // alike by all ranks as long as all draw alike.
    [[nodiscard]] at::Generator& random() { return random_; }
    [[nodiscard]] at::Generator& sharedRandom() { return sharedRandom_; }
    // Records a number of this rank at the present step, under a name that storage/format.md lists. Not in runs of time
    // only.
    void record(std::string_view name, double value) {
        if (extras_.metric) extras_.metric(name, value);
    }
    // The same of an algorithm's own number: the metric algorithm/<name>.
    void metric(std::string_view name, double value) { record(metrics::kAlgorithm + std::string(name), value); }

    // That this rank trains on in one step; the last batch of an epoch may have fewer.
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    // Completed local steps k; in afterStep the step just made counts.
    [[nodiscard]] std::int64_t step() const { return step_; }
    // The step after which the algorithm's own rule began: 0, or the last of its synchronous steps (sync_steps.h).
    [[nodiscard]] std::int64_t origin() const { return origin_; }
    // Steps made by that rule.
    [[nodiscard]] std::int64_t ownSteps() const { return step_ - origin_; }
    void beginAfter(std::int64_t step) { origin_ = step; }
    // Of the step just made, or about to be made.
    [[nodiscard]] double learningRate() const { return learningRate_; }

    // Of this rank in the step just made: a scalar [] where the rank computes, which on a device nobody has waited for.
    // The next step may write over it, so that who keeps it copies it. Undefined before the first step, on a rank that
    // serves and where only time is simulated.
    [[nodiscard]] const at::Tensor& loss() const { return loss_; }
    // The worker loop's own.
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
