// What a rank computes in one local step: batch, forward, backward, update. Real, or, where only time is of interest,
// nothing at all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/models/model.h"
#include "core/optimizers/optimizer.h"
#include "core/step/flat_params.h"
#include "core/step/gradient_feed.h"
#include "core/train/later_value.h"
#include "core/train/training_data.h"

namespace dasgd {

class LocalStep {
public:
    virtual ~LocalStep() = default;
    // The next batch, of so many samples.
    virtual void load(std::int64_t samples) = 0;
    virtual void forward() = 0;
    virtual void backward() = 0;
    virtual void update(double learningRate) = 0;
    // Of the batch just trained on; null where nothing is computed. Outlives the step that made it.
    [[nodiscard]] virtual std::unique_ptr<LaterValue> loss() = 0;
};

// The real thing. Everything given outlives it. `rank`: among those that train.
[[nodiscard]] std::unique_ptr<LocalStep> makeLocalStep(const Experiment& experiment, const TrainingData& data,
                                                       Model& model, FlatParams& params, Optimizer& optimizer,
                                                       Rank rank);

// For parameters that are shapes only: computes nothing, tells `feed` of every gradient in the order in which a
// backward pass makes them.
[[nodiscard]] std::unique_ptr<LocalStep> makeIdleStep(const FlatParams& params, GradientFeed& feed);

}  // namespace dasgd
