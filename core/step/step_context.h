// All that an algorithm sees of the world. It does not know whether time is real.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/clock.h"
#include "core/comm/communicator.h"
#include "core/exec/executor.h"
#include "core/step/flat_params.h"
#include "core/step/gradient_feed.h"

namespace dasgd {

class Optimizer;

class StepContext {
public:
    // `samples`: of one rank in one step.
    StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples = 1)
        : comm_(comm),
          clock_(clock),
          params_(params),
          executor_(executor),
          gradientFeed_(params, &executor),
          samples_(samples) {}

    [[nodiscard]] Communicator& comm() { return comm_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    [[nodiscard]] FlatParams& params() { return params_; }
    // Through which every piece of work and every wait goes.
    [[nodiscard]] Executor& executor() { return executor_; }
    [[nodiscard]] GradientFeed& gradientFeed() { return gradientFeed_; }

    // That this rank trains on in one step.
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    // Completed local steps k; in afterStep the step just made counts.
    [[nodiscard]] std::int64_t step() const { return step_; }
    // Of the step just made, or about to be made.
    [[nodiscard]] double learningRate() const { return learningRate_; }

    // Of this rank, the newest that is known: of the step just made, or of the one before where it is still being
    // computed. nullopt before the first one, on a rank that serves and where only time is simulated.
    [[nodiscard]] std::optional<double> lastLoss() const { return lastLoss_; }
    // Records a number of the algorithm's own at the present step, as the metric algorithm/<name> of this rank.
    void metric(std::string_view name, double value) {
        if (metric_) metric_(name, value);
    }
    // This rank's, with its state. A rank that serves has one too.
    [[nodiscard]] Optimizer& optimizer() { return *optimizer_; }

    // The worker loop's own.
    using RecordMetric = std::function<void(std::string_view name, double value)>;
    void equip(Optimizer& optimizer, RecordMetric metric) {
        optimizer_ = &optimizer;
        metric_ = std::move(metric);
    }
    void noteLoss(double loss) { lastLoss_ = loss; }
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
    std::int64_t step_ = 0;
    double learningRate_ = 0;
    std::optional<double> lastLoss_;
    Optimizer* optimizer_ = nullptr;
    RecordMetric metric_;
};

}  // namespace dasgd
