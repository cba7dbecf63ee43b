// What a process loads once for all its ranks: samples and who trains on which. Read-only afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/datasets/dataset.h"
#include "core/datasets/epoch_order.h"
#include "core/datasets/loader.h"
#include "core/datasets/sampler.h"
#include "core/experiment/experiment.h"
#include "core/step/flat_params.h"

namespace dasgd {

struct TrainingData {
    Splits splits;                                  // the training set without what is set apart for validation
    Samples validation;                             // empty where nothing is
    std::vector<std::vector<std::int64_t>> shards;  // of each rank that trains, indices into the training set
    // Of a virtual run: each trainable parameter's, in registration order.
    std::vector<std::vector<std::int64_t>> parameterShapes;
    std::vector<std::vector<std::int64_t>> bufferShapes;  // and each floating-point buffer's
    std::shared_ptr<EpochOrder> order;                    // where no rank has a shard of its own; else null

    // Damaged files or lines that were left out so far; empty where damage is refused.
    [[nodiscard]] std::optional<std::int64_t> skipped() const;
    // How many elements the parameters have.
    [[nodiscard]] std::vector<std::int64_t> parameterSizes() const;
};

// No samples for a model that needs none. Errors: a model that cannot be built, of the data set, of the partition.
[[nodiscard]] Result<TrainingData> loadTrainingData(const Experiment& experiment);

// Which samples `rank`, counted among those that train, trains on, pass by pass. Of data with samples.
[[nodiscard]] PassSource passesOf(const Experiment& experiment, const TrainingData& data, Rank rank);

// The batches that `rank`, counted among those that train, trains on. Ordered as a run takes them, B samples a step and
// what is left at the end of an epoch. Of data with samples; `data` outlives it. `samples`: the training set of `data`,
// or its copy on a device. `done`: steps that are complete, so that the first batch is that of the step after them.
[[nodiscard]] std::unique_ptr<BatchLoader> openLoader(const Experiment& experiment, const TrainingData& data, Rank rank,
                                                      const Samples& samples, std::int64_t done = 0);
[[nodiscard]] inline std::unique_ptr<BatchLoader> openLoader(const Experiment& experiment, const TrainingData& data,
                                                             Rank rank) {
    return openLoader(experiment, data, rank, data.splits.train);
}

// The network with the experiment's initial weights, the same for every rank; a rank that serves gets that of the first
// one that trains. On the processor; what it draws in training is drawn on `device`, from the stream that `forward`, if
// given, becomes.
[[nodiscard]] Result<std::unique_ptr<Model>> buildModel(const Experiment& experiment, const TrainingData& data,
                                                        Rank rank, at::Device device = at::kCPU,
                                                        at::Generator* forward = nullptr);

// How the experiment's parameters lie on `device`.
[[nodiscard]] FlatLayout flatLayoutOf(const Experiment& experiment, at::Device device = at::kCPU);

}  // namespace dasgd
