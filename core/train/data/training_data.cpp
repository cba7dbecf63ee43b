#include "core/train/data/training_data.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/accumulate.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/random.h"
#include "core/experiment/uneven_batches.h"
#include "core/models/default_generator.h"
#include "core/step/flat_params.h"

namespace dasgd {

namespace {

// Number of loader threads. Where time is simulated a step that waits for its batch is charged for it, unless the
// experiment asks for threads.
int loaderThreads(const Experiment& experiment, const Samples& samples) {
    if (experiment.data.threads >= 0) return static_cast<int>(experiment.data.threads);
    constexpr int kDefaultThreads = 2;
    return samples.reader && samples.reader->isSlow() && !experiment.timeSimulated() ? kDefaultThreads : 0;
}

// Takes the validation set out of the training set, before anything is dealt out to the workers. Both parts keep the
// order of the training set. For continuous samples the last ones are set apart: drawn ones would break the text into
// pieces.
void setValidationApart(TrainingData& data, double share, std::uint64_t seed) {
    Samples& train = data.splits.train;
    const std::int64_t count = validationCount(train.count(), share);
    if (count == 0) return;
    const std::int64_t left = train.count() - count;
    if (train.continuous) {
        data.validation = partOf(train, left, count);
        train = partOf(train, 0, left);
        return;
    }
    const at::Tensor drawn = torch::randperm(
        train.count(), at::detail::createCPUGenerator(streamSeed(seed, kEveryRank, StreamPurpose::Validation)),
        torch::kInt64);
    data.validation = selected(train, std::get<0>(drawn.slice(0, 0, count).sort()), SampleUse::kEvaluation);
    train = selected(train, std::get<0>(drawn.slice(0, count).sort()), SampleUse::kTraining);
}

Status loadSamples(const Experiment& experiment, TrainingData& data) {
    const InputSpec natural = experiment.model->naturalInput();
    if (natural.shape.empty()) return {};
    DASGD_ASSIGN(data.splits, experiment.dataset->load(natural));
    for (Samples* samples : {&data.splits.train, &data.splits.test}) {
        samples->loading = {.threads = loaderThreads(experiment, *samples),
                            .ahead = static_cast<int>(experiment.data.prefetch)};
    }
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
    if (experiment.cluster.stages > 1) {
        DASGD_ASSIGN(data.stages, planStages(experiment, data));
    }
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

std::optional<std::int64_t> TrainingData::skipped() const {
    if (!splits.skipped) return std::nullopt;
    std::int64_t count = *splits.skipped;
    for (const Samples* samples : {&splits.train, &splits.test, &validation}) {
        if (samples->reader) count += samples->reader->skipped();
    }
    return count;
}

std::vector<std::int64_t> TrainingData::parameterSizes() const {
    std::vector<std::int64_t> sizes;
    for (const auto& shape : parameterShapes) sizes.push_back(c10::multiply_integers(shape));
    return sizes;
}

namespace {

// Passes over the data in the common order, of one of `workers`.
PassSource sharesOfOrder(const Experiment& experiment, const TrainingData& data, Rank rank, const Plan& plan) {
    return [order = data.order, rank, plan, dropLast = experiment.data.dropLast](std::int64_t pass) {
        const at::Tensor share = shareOf(order->of(pass), rank, static_cast<int>(plan.workers), dropLast);
        return share.slice(0, 0, plan.epochSamples);
    };
}

}  // namespace

PassSource passesOf(const Experiment& experiment, const TrainingData& data, Rank rank) {
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    if (!data.order) {
        const auto& shard = data.shards[static_cast<std::size_t>(rank.value())];
        if (data.splits.train.continuous) {
            const Plan plan = planSteps(experiment, data.splits.train.count());
            // Each micro-batch continues where the one before it ended.
            return rowPasses(shard, experiment.train.batchSize, plan.stepsPerEpoch * experiment.train.accumulate);
        }
        return shardPasses(shard, experiment.data.shuffle == "shard", seed, rank);
    }
    return sharesOfOrder(experiment, data, rank, planSteps(experiment, data.splits.train.count()));
}

std::unique_ptr<BatchLoader> openLoader(const Experiment& experiment, const TrainingData& data, Rank rank,
                                        const Samples& samples, std::int64_t done) {
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    const Plan plan = planSteps(experiment, data.splits.train.count());
    Sampler sampler(passesOf(experiment, data, rank));
    for (std::int64_t step = 1; step <= done; ++step) sampler.skip(plan.batchOf(step));
    auto next = [sampler = std::move(sampler), plan, seed, rank, batch = done]() mutable -> std::optional<BatchOrder> {
        const std::uint64_t draws =
            streamSeed(seed, rank.value(), StreamPurpose::Augment, static_cast<std::uint64_t>(batch));
        return BatchOrder{sampler.next(plan.batchOf(++batch)), draws};
    };
    return std::make_unique<BatchLoader>(samples, experiment.scalarType(), std::move(next));
}

std::unique_ptr<BatchLoader> openUnevenLoader(const Experiment& experiment, const TrainingData& data, Rank rank,
                                              const Samples& samples, BatchesOfStep batches, std::int64_t done) {
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    const Plan plan = planSteps(experiment, data.splits.train.count());
    auto next = [order = data.order, batches = std::move(batches), plan, seed, rank,
                 made = done]() mutable -> std::optional<BatchOrder> {
        const auto draws = streamSeed(seed, rank.value(), StreamPurpose::Augment, static_cast<std::uint64_t>(made));
        const std::int64_t pass = made / plan.stepsPerEpoch;
        const std::int64_t begin = made % plan.stepsPerEpoch * plan.workers * plan.batchSize;
        const auto dealt = dealtPlaces(batches(++made), static_cast<std::size_t>(rank.value()));
        const at::Tensor samplesOfPass = order->of(pass);
        const at::Tensor places = torch::tensor(dealt, torch::kInt64) + begin;
        return BatchOrder{samplesOfPass.index_select(0, places.remainder(samplesOfPass.numel())), draws};
    };
    return std::make_unique<BatchLoader>(samples, experiment.scalarType(), std::move(next));
}

std::unique_ptr<BatchLoader> openDrawnLoader(const Experiment& experiment, const TrainingData& data, Rank rank,
                                             const Samples& samples, SrgSampler& sampler, std::int64_t done) {
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    const Plan plan = planSteps(experiment, data.splits.train.count());
    auto next = [&sampler, plan, seed, rank, made = done]() mutable -> std::optional<BatchOrder> {
        const auto counter = static_cast<std::uint64_t>(made);
        const SrgSampler::Drawn drawn =
            sampler.draw(plan.batchOf(++made), streamSeed(seed, rank.value(), StreamPurpose::Draws, counter));
        return BatchOrder{drawn.indices, streamSeed(seed, rank.value(), StreamPurpose::Augment, counter),
                          drawn.weights};
    };
    return std::make_unique<BatchLoader>(samples, experiment.scalarType(), std::move(next));
}

std::unique_ptr<BatchLoader> openSharedLoader(const Experiment& experiment, const TrainingData& data,
                                              const Samples& samples, const std::int64_t& gradient) {
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    const Plan plan = planGradients(experiment, data.splits.train.count());
    auto next = [sampler = Sampler(sharesOfOrder(experiment, data, Rank(0), plan)), plan, seed, &gradient,
                 batch = std::int64_t{0}]() mutable -> std::optional<BatchOrder> {
        while (batch + 1 < gradient) sampler.skip(plan.batchOf(++batch));
        const auto draws = streamSeed(seed, 0, StreamPurpose::Augment, static_cast<std::uint64_t>(batch));
        return BatchOrder{sampler.next(plan.batchOf(++batch)), draws};
    };
    return std::make_unique<BatchLoader>(samples, experiment.scalarType(), std::move(next));
}

Result<std::unique_ptr<Model>> buildModel(const Experiment& experiment, const TrainingData& data, Rank rank,
                                          at::Device device, at::Generator* forward) {
    std::unique_ptr<Model> model = experiment.makeModel();
    InputSpec input = model->naturalInput();
    if (!input.shape.empty()) input = data.splits.input;
    // Initial weights come from torch's one default generator: ranks that are threads take turns.
    const std::lock_guard lock(defaultGeneratorMutex());
    const auto seed = static_cast<std::uint64_t>(experiment.train.seed);
    torch::manual_seed(seed);
    const Roles roles = experiment.roles();
    const at::Generator random = makeGenerator(device, streamSeed(seed, rank.value(), StreamPurpose::Forward));
    if (forward) *forward = random;
    DASGD_TRY(model->build({.input = input,
                            .rank = Rank(roles.trains(rank) ? roles.trainerIndex(rank) : 0),
                            .workers = roles.trainers(),
                            .timeOnly = experiment.timeOnly(),
                            .labelSmoothing = experiment.train.labelSmoothing,
                            .type = experiment.scalarType(),
                            .random = random}));
    return model;
}

FlatLayout flatLayoutOf(const Experiment& experiment, at::Device device) {
    FlatLayout layout = layoutOn(device);
    layout.channelsLast = experiment.train.channelsLast;
    return layout;
}

}  // namespace dasgd
