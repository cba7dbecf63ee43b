#include "core/train/steps/measure_step.h"

#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/analysis/statistics.h"
#include "core/base/clock.h"
#include "core/train/data/count_flops.h"
#include "core/train/steps/local_step.h"

namespace dasgd {

namespace {

constexpr int kWarmUp = 3;
constexpr int kFewest = 5;
constexpr int kMost = 50;
constexpr Ns kEnough = 1'000'000'000;

class StepWatch {
public:
    StepWatch(const Experiment& experiment, const TrainingData& data, Model& model)
        : params_(model.module(), experiment.scalarType(), flatLayoutOf(experiment)),
          feed_(params_, nullptr),
          optimizer_(experiment.makeOptimizer()),
          step_(makeLocalStep(experiment, data, model, params_, *optimizer_, Rank{0})),
          batchSize_(experiment.train.batchSize),
          untilGradient_(params_.slots().size(), 0.0) {
        feed_.listen([this](std::size_t slot) {
            const Ns now = clock_.now();
            untilGradient_[slot] += static_cast<double>(now - lastGradient_) * 1e-9;
            lastGradient_ = now;
        });
    }

    StepTimes watch() {
        for (int i = 0; i < kWarmUp; ++i) makeStep();
        for (auto& phase : phases_) phase.clear();
        std::fill(untilGradient_.begin(), untilGradient_.end(), 0.0);
        const Ns begin = clock_.now();
        int steps = 0;
        while (steps < kFewest || (steps < kMost && clock_.now() - begin < kEnough)) {
            makeStep();
            ++steps;
        }
        StepTimes times{.data = median(phases_[0]),
                        .forward = median(phases_[1]),
                        .backward = median(phases_[2]),
                        .update = median(phases_[3])};
        const double backward = std::accumulate(phases_[2].begin(), phases_[2].end(), 0.0);
        for (const double seconds : untilGradient_) times.gradientShares.push_back(seconds / backward);
        return times;
    }

private:
    void makeStep() {
        timed(0, [&] { step_->load({.samples = batchSize_, .of = batchSize_}); });
        timed(1, [&] { step_->forward({}); });
        lastGradient_ = clock_.now();
        timed(2, [&] { step_->backward(); });
        timed(3, [&] { step_->update(optimizer_->learningRate()); });
    }
    template <class Work>
    void timed(std::size_t phase, Work work) {
        const Ns begin = clock_.now();
        work();
        phases_[phase].push_back(static_cast<double>(clock_.now() - begin) * 1e-9);
    }

    MonotonicClock clock_;
    FlatParams params_;
    GradientFeed feed_;
    std::unique_ptr<Optimizer> optimizer_;
    std::unique_ptr<LocalStep> step_;
    std::int64_t batchSize_;
    Ns lastGradient_ = 0;
    std::vector<double> untilGradient_;  // for each slot: seconds since the gradient before it, summed over the steps
    std::array<std::vector<double>, 4> phases_;
};

}  // namespace

Result<StepTimes> measureStepTimes(const Experiment& experiment, const TrainingData& data) {
    at::set_num_threads(static_cast<int>(experiment.cluster.threadsPerWorker));
    DASGD_ASSIGN(const auto model, buildModel(experiment, data, Rank{0}));
    return StepWatch(experiment, data, *model).watch();
}

Result<StepTimes> stepTimesOf(const Experiment& experiment, const TrainingData& data) {
    if (experiment.compute.measured()) return measureStepTimes(experiment, data);
    DASGD_ASSIGN(const LayerWork work, layerWorkOf(experiment, data));
    return estimateStepTimes(experiment.compute, work, data.parameterSizes(), experiment.train.batchSize);
}

}  // namespace dasgd
