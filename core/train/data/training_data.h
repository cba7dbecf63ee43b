// Data that a process loads once for all its ranks: samples and their distribution over the ranks. Read-only
// afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/datasets/dataset.h"
#include "core/datasets/loader.h"
#include "core/datasets/sampling/epoch_order.h"
#include "core/datasets/sampling/sampler.h"
#include "core/datasets/sampling/srg_sampler.h"
#include "core/experiment/experiment.h"
#include "core/step/flat_params.h"
#include "core/train/data/stage_plan.h"

namespace dasgd {

struct TrainingData {
    Splits splits;                                  // the training set without the samples set apart for validation
    Samples validation;                             // empty where none is set apart
    std::vector<std::vector<std::int64_t>> shards;  // for each rank that trains: indices into the training set
    // For a virtual run: the shape of each trainable parameter, in registration order.
    std::vector<std::vector<std::int64_t>> parameterShapes;
    std::vector<std::vector<std::int64_t>> bufferShapes;  // shapes of floating-point buffers, likewise
    std::optional<StagePlan> stages;                      // set where the model is cut
    std::shared_ptr<EpochOrder> order;                    // set where no rank has a shard of its own; else null

    // Number of damaged files or lines that were left out so far; nullopt where damage is refused.
    [[nodiscard]] std::optional<std::int64_t> skipped() const;
    // Number of elements of each parameter.
    [[nodiscard]] std::vector<std::int64_t> parameterSizes() const;
};

// Has no samples for a model that needs none. Errors: a model that cannot be built, of the data set, of the partition.
[[nodiscard]] Result<TrainingData> loadTrainingData(const Experiment& experiment);

// Samples that `rank`, counted among those that train, trains on, pass by pass. For data with samples.
[[nodiscard]] PassSource passesOf(const Experiment& experiment, const TrainingData& data, Rank rank);

// Loader of the batches that `rank`, counted among those that train, trains on, in the order of a run: B samples per
// step and the rest at the end of an epoch. For data with samples; `data` outlives it. `samples`: the training set of
// `data`, or its copy on a device. `done`: steps that are complete, so that the first batch is that of the step after
// them.
[[nodiscard]] std::unique_ptr<BatchLoader> openLoader(const Experiment& experiment, const TrainingData& data, Rank rank,
                                                      const Samples& samples, std::int64_t done = 0);
[[nodiscard]] inline std::unique_ptr<BatchLoader> openLoader(const Experiment& experiment, const TrainingData& data,
                                                             Rank rank) {
    return openLoader(experiment, data, rank, data.splits.train);
}

// Samples of all ranks in a step, for batches of unequal size.
using BatchesOfStep = std::function<std::vector<std::int64_t>(std::int64_t step)>;
// Loader of the batches of `rank` where those of step k have batches(k) samples, asked as each is taken. A step's
// samples are those that the ranks together have with equal batches, dealt out by dealtPlaces(): each epoch takes each
// sample as often as it does with equal batches, which make the same run. For data in one common order; `samples`,
// which make their batches when asked, and `data` outlive it.
[[nodiscard]] std::unique_ptr<BatchLoader> openUnevenLoader(const Experiment& experiment, const TrainingData& data,
                                                            Rank rank, const Samples& samples, BatchesOfStep batches,
                                                            std::int64_t done = 0);
// Loader of batches that `sampler` draws, of the plan's sizes; each is drawn as it is taken. `samples`, which make
// their batches when asked, and `sampler` outlive it.
[[nodiscard]] std::unique_ptr<BatchLoader> openDrawnLoader(const Experiment& experiment, const TrainingData& data,
                                                           Rank rank, const Samples& samples, SrgSampler& sampler,
                                                           std::int64_t done = 0);

// Loader of the batches of a run whose workers share the work: before each take() it moves on to the batch number
// `gradient`, from 1, of those that one worker would take. Numbers rise. `samples`, which make their batches when
// asked, `data` and `gradient` outlive it.
[[nodiscard]] std::unique_ptr<BatchLoader> openSharedLoader(const Experiment& experiment, const TrainingData& data,
                                                            const Samples& samples, const std::int64_t& gradient);

// Builds the network with the experiment's initial weights, the same for every rank; a rank that serves gets that of
// the first one that trains. The weights are on the CPU; numbers that training draws are drawn on `device`, from
// the stream that `forward`, if given, becomes.
[[nodiscard]] Result<std::unique_ptr<Model>> buildModel(const Experiment& experiment, const TrainingData& data,
                                                        Rank rank, at::Device device = at::kCPU,
                                                        at::Generator* forward = nullptr);

// Layout of the experiment's parameters on `device`.
[[nodiscard]] FlatLayout flatLayoutOf(const Experiment& experiment, at::Device device = at::kCPU);

}  // namespace dasgd
