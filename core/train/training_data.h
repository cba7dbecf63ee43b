// What a process loads once for all its ranks: samples and who trains on which. Read-only afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/datasets/dataset.h"
#include "core/datasets/epoch_order.h"
#include "core/datasets/sampler.h"
#include "core/experiment/experiment.h"

namespace dasgd {

struct TrainingData {
    Splits splits;  // inputs in the experiment's precision; the training set without what is set apart for validation
    Samples validation;
    std::vector<std::vector<std::int64_t>> shards;  // of each rank that trains, indices into the training set
    // Of a virtual run: each trainable parameter's, in registration order.
    std::vector<std::vector<std::int64_t>> parameterShapes;
    std::vector<std::vector<std::int64_t>> bufferShapes;  // and each floating-point buffer's
    std::shared_ptr<EpochOrder> order;                    // where no rank has a shard of its own; else null

    // How many elements the parameters have.
    [[nodiscard]] std::vector<std::int64_t> parameterSizes() const;
};

// No samples for a model that needs none. Errors: a model that cannot be built, of the data set, of the partition.
[[nodiscard]] Result<TrainingData> loadTrainingData(const Experiment& experiment);

// Which samples `rank`, counted among those that train, trains on, pass by pass. Of data with samples.
[[nodiscard]] PassSource passesOf(const Experiment& experiment, const TrainingData& data, Rank rank);

// The network with the experiment's initial weights, the same for every rank; a rank that serves gets that of the first
// one that trains.
[[nodiscard]] Result<std::unique_ptr<Model>> buildModel(const Experiment& experiment, const TrainingData& data,
                                                        Rank rank);

}  // namespace dasgd
