// Numbers of steps and samples of a run, and the epoch of each step. Plain numbers, fixed before the first step.
//
// An epoch is defined as by torch.utils.data.DistributedSampler and a DataLoader over the training set. With N samples,
// P workers, batches of B:
//   drop_last = false (torch's default): each rank takes n = ⌈N/P⌉ samples per epoch, the training set being extended
//   to
//       n·P by its own first samples; ⌈n/B⌉ steps, the last with the n − B·(⌈n/B⌉ − 1) samples that are left.
//   drop_last = true: n = ⌊N/P⌋, then ⌊n/B⌋ steps of B samples; what is left over is trained on in no batch of this
//       epoch.
// One option sets both of torch's. All ranks make the same number of steps. Different from torch:
//   n < B: torch would make one batch of n, or with drop_last none. Here every batch has B samples and passes join
//       inside a batch, so that a step is more than an epoch and `epochs` are ⌈epochs·n/B⌉ steps. For data with samples
//       checkRun() refuses this: a batch would hold samples twice.
//   shards of unequal size (other partitions than iid, or shuffle = "shard"): each rank still takes n samples per
//   epoch;
//       its passes over its own shard join inside a batch and drop nothing.
//   time-only runs use no data: every step is charged and counted with B samples.
// On the virtual cluster a short batch is charged its share of a full one's time, the update apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dasgd {

struct Plan {
    std::int64_t totalSteps = 0;
    std::int64_t stepsPerEpoch = 1;  // at least 1, also where a step is more than an epoch
    std::int64_t evalEvery = 0;
    std::int64_t trainSamples = 0;  // number of samples of the whole training set; set by planExperiment() alone
    // Number N of the model's parameters, and each trainable parameter's shape in registration order; set by
    // planExperiment() alone.
    std::int64_t parameters = 0;
    std::vector<std::vector<std::int64_t>> parameterShapes;
    std::int64_t hiddenMatrices = 0;  // as core/step/hidden_matrices.h counts them; set by planExperiment() alone
    bool hasBuffers = false;          // running statistics of BatchNorm, for example; set by planExperiment() alone
    std::string leftOut;  // damaged files or lines, and files of other formats, that the data do without; "" where
                          // there are none

    std::int64_t workers = 1;
    std::int64_t batchSize = 1;     // B, of one rank
    std::int64_t epochSamples = 1;  // samples that one rank trains on in an epoch
    bool passesJoin = false;        // all batches are full, whatever an epoch's samples are
    bool ofData = false;            // an epoch is a pass over data; else a step

    // Samples of one rank in step 1, 2, ….
    [[nodiscard]] std::int64_t batchOf(std::int64_t step) const;
    // Samples of all ranks in the first `steps` steps.
    [[nodiscard]] std::int64_t samplesAfter(std::int64_t steps) const;
    // Epochs completed after so many steps, by samples.
    [[nodiscard]] double epochAfter(std::int64_t steps) const;
    // Samples of one rank in a step, averaged over an epoch.
    [[nodiscard]] double meanBatch() const;
    // Steps of an epoch on average; below 1 where a step is more than an epoch.
    [[nodiscard]] double meanEpochSteps() const;
};

// Input of a plan. `samples` is 0 for a model that needs no data: an epoch is one step then.
struct PlanFacts {
    std::int64_t samples = 0;  // number of samples of the training set; at least one per worker, or 0
    std::int64_t workers = 1;
    std::int64_t batchSize = 1;
    std::int64_t epochs = 1;
    std::int64_t steps = 0;      // > 0: instead of epochs
    std::int64_t evalEvery = 0;  // 0: after each epoch
    bool dropLast = false;
    bool timeOnly = false;
};
[[nodiscard]] Plan planSteps(const PlanFacts& facts);

// The last step of `now` that has completed no more epochs (or, without data, samples) than `step` of `before` has: the
// step at which a run is resumed with another number of workers. The plans differ in nothing else.
[[nodiscard]] std::int64_t stepOfSamePlace(const Plan& before, const Plan& now, std::int64_t step);

// Number of `samples` that are set apart for validation: the nearest to `share` of them, at least one. 0 where `share`
// is 0.
[[nodiscard]] std::int64_t validationCount(std::int64_t samples, double share);

// Number of steps in the smallest number of whole epochs that is no less than `spacing` steps.
[[nodiscard]] std::int64_t evalEveryOf(std::int64_t spacing, std::int64_t stepsPerEpoch);

}  // namespace dasgd
