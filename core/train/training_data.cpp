#include "core/train/training_data.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/accumulate.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <mutex>
#include <tuple>

#include "core/base/random.h"
#include "core/models/default_generator.h"
#include "core/step/flat_params.h"

namespace dasgd {

namespace {

Samples picked(const Samples& samples, const at::Tensor& indices) {
    return {samples.inputs.index_select(0, indices), samples.targets.index_select(0, indices)};
}

// Before anything is dealt out to the workers. Both parts keep the order of the training set.
void setValidationApart(TrainingData& data, double share, std::uint64_t seed) {
    Samples& train = data.splits.train;
    const std::int64_t count = validationCount(train.count(), share);
    if (count == 0) return;
    const at::Tensor drawn = torch::randperm(
        train.count(), at::detail::createCPUGenerator(streamSeed(seed, kEveryRank, StreamPurpose::Validation)),
        torch::kInt64);
    data.validation = picked(train, std::get<0>(drawn.slice(0, 0, count).sort()));
    train = picked(train, std::get<0>(drawn.slice(0, count).sort()));
}

Status loadSamples(const Experiment& experiment, TrainingData& data) {
    const InputSpec natural = experiment.model->naturalInput();
    if (natural.shape.empty()) return {};
    DASGD_ASSIGN(data.splits, experiment.dataset->load(natural));
    const auto type = experiment.scalarType();
    data.splits.train.inputs = data.splits.train.inputs.to(type);
    data.splits.test.inputs = data.splits.test.inputs.to(type);
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    setValidationApart(data, experiment.data.validation, seed);
    const std::string& shuffle = experiment.data.shuffle;
    if (shuffle != "shard" && experiment.partition.kind == PartitionSpec::Kind::Iid) {
        data.order = std::make_shared<EpochOrder>(data.splits.train.count(), shuffle == "global", seed);
        return {};
    }
    data.shards =
        partitionSamples(data.splits.train.targets, experiment.partition, experiment.roles().trainers(), seed);
    return {};
}

}  // namespace

Result<TrainingData> loadTrainingData(const Experiment& experiment) {
    TrainingData data;
    DASGD_TRY(loadSamples(experiment, data));
    if (!experiment.timeSimulated()) return data;
    DASGD_ASSIGN(const auto model, buildModel(experiment, data, Rank{0}));
    for (const at::Tensor& parameter : trainableParameters(model->module())) {
        data.parameterShapes.push_back(parameter.sizes().vec());
    }
    for (const at::Tensor& buffer : floatingBuffers(model->module())) {
        data.bufferShapes.push_back(buffer.sizes().vec());
    }
    return data;
}

std::vector<std::int64_t> TrainingData::parameterSizes() const {
    std::vector<std::int64_t> sizes;
    for (const auto& shape : parameterShapes) sizes.push_back(c10::multiply_integers(shape));
    return sizes;
}

PassSource passesOf(const Experiment& experiment, const TrainingData& data, Rank rank) {
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    if (!data.order) {
        const auto& shard = data.shards[static_cast<std::size_t>(rank.value())];
        return shardPasses(shard, experiment.data.shuffle == "shard", seed, rank);
    }
    const Plan plan = planSteps(experiment, data.splits.train.count());
    return [order = data.order, rank, plan, dropLast = experiment.data.dropLast](std::int64_t pass) {
        const at::Tensor share = shareOf(order->of(pass), rank, static_cast<int>(plan.workers), dropLast);
        return share.slice(0, 0, plan.epochSamples);
    };
}

Result<std::unique_ptr<Model>> buildModel(const Experiment& experiment, const TrainingData& data, Rank rank) {
    std::unique_ptr<Model> model = experiment.makeModel();
    InputSpec input = model->naturalInput();
    if (!input.shape.empty()) input = data.splits.input;
    // Initial weights come from torch's one default generator: ranks that are threads take turns.
    const std::lock_guard lock(defaultGeneratorMutex());
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    torch::manual_seed(seed);
    const Roles roles = experiment.roles();
    DASGD_TRY(model->build(
        {.input = input,
         .rank = Rank(roles.trains(rank) ? roles.trainerIndex(rank) : 0),
         .workers = roles.trainers(),
         .timeOnly = experiment.timeOnly(),
         .labelSmoothing = experiment.train.labelSmoothing,
         .random = at::detail::createCPUGenerator(streamSeed(seed, rank.value(), StreamPurpose::Forward))}));
    return model;
}

}  // namespace dasgd
