// The passes of one rank over its stage of a model that is cut (core/step/stage.h). In time-only runs nothing is
// computed.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/exec/executor.h"
#include "core/experiment/experiment.h"
#include "core/models/model.h"
#include "core/step/flat_params.h"
#include "core/step/stage.h"
#include "core/train/data/training_data.h"

namespace dasgd {

class StageStep : public Stage {
public:
    // Mean loss of the last batch whose forward passes are complete, a scalar []; undefined before the first one, at
    // all stages but the last, and where nothing is computed.
    [[nodiscard]] const at::Tensor& loss() const { return loss_; }
    // Names the layers of the stage, for whoever follows the run.
    [[nodiscard]] virtual std::string description() const = 0;

protected:
    using Stage::Stage;
    at::Tensor loss_;
};

// All arguments outlive the stage. `data` has the plan of the stages.
struct StageParts {
    const Experiment& experiment;
    const TrainingData& data;
    Model* model;  // null: nothing is computed
    FlatParams& params;
    Executor& executor;
    at::Generator& forward;  // the model draws from it in training
};
[[nodiscard]] std::unique_ptr<StageStep> makeStage(const StageParts& parts, Rank rank);

}  // namespace dasgd
