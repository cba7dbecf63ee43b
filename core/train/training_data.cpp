#include "core/train/training_data.h"

#include <c10/util/accumulate.h>
#include <torch/nn/module.h>
#include <torch/utils.h>

#include <mutex>

namespace dasgd {

namespace {

Status loadSamples(const Experiment& experiment, TrainingData& data) {
    const InputSpec natural = experiment.model->naturalInput();
    if (natural.shape.empty()) return {};
    DASGD_ASSIGN(data.splits, experiment.dataset->load(natural));
    const auto type = experiment.scalarType();
    data.splits.train.inputs = data.splits.train.inputs.to(type);
    data.splits.test.inputs = data.splits.test.inputs.to(type);
    data.shards = partitionSamples(data.splits.train.targets, experiment.partition, experiment.roles().trainers(),
                                   static_cast<std::uint64_t>(experiment.train.seed));
    return {};
}

}  // namespace

Result<TrainingData> loadTrainingData(const Experiment& experiment) {
    TrainingData data;
    DASGD_TRY(loadSamples(experiment, data));
    if (!experiment.timeSimulated()) return data;
    DASGD_ASSIGN(const auto model, buildModel(experiment, data, Rank{0}));
    for (const at::Tensor& parameter : model->module().parameters()) {
        if (parameter.requires_grad()) data.parameterShapes.push_back(parameter.sizes().vec());
    }
    return data;
}

std::vector<std::int64_t> TrainingData::parameterSizes() const {
    std::vector<std::int64_t> sizes;
    for (const auto& shape : parameterShapes) sizes.push_back(c10::multiply_integers(shape));
    return sizes;
}

Result<std::unique_ptr<Model>> buildModel(const Experiment& experiment, const TrainingData& data, Rank rank) {
    std::unique_ptr<Model> model = experiment.makeModel();
    InputSpec input = model->naturalInput();
    if (!input.shape.empty()) input = data.splits.input;
    // Initial weights come from torch's one default generator: ranks that are threads take turns.
    static std::mutex generator;
    const std::lock_guard lock(generator);
    torch::manual_seed(static_cast<std::uint64_t>(experiment.train.seed));
    const Roles roles = experiment.roles();
    DASGD_TRY(model->build({.input = input,
                            .rank = Rank(roles.trains(rank) ? roles.trainerIndex(rank) : 0),
                            .workers = roles.trainers(),
                            .timeOnly = experiment.timeOnly()}));
    return model;
}

}  // namespace dasgd
