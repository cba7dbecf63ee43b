// State of a rank between two steps as named tensors and integers, saved and restored. A run that was saved and resumed
// in new objects gives the same results, to the last bit, as one that was not interrupted: on the CPU, and where
// the algorithm's values do not depend on who comes first.
//
//   weights/<parameter>, buffers/<buffer>   by their names in the network
//   named/<parameter>                       the rank's part of the weights that are evaluated, where the algorithm
//                                           names them (NamesWeights); named_buffers/<buffer> likewise
//   optimizer/…, rule/…, model/<i>     what each of them keeps; rule/ is the algorithm's
//   random/own, /shared, /forward           random streams: the algorithm's two, and the one that the network draws
//   from
//   selection                               decisions of the evaluations so far
//   balance/…                               rates that unequal batches follow from
//   sampler/norms                           norms that samples are drawn by
//
// The position in the data is not kept, but computed from the step (training_data.h). Batches depend on nothing else.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

#include "core/algorithms/algorithm.h"
#include "core/datasets/sampling/srg_sampler.h"
#include "core/models/model.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"
#include "core/train/checkpoint/rank_counters.h"
#include "core/train/evaluation/model_selection.h"
#include "core/train/steps/batch_balance.h"

namespace dasgd {

// The parts of one rank; all outlive the calls.
struct RankParts {
    Model& model;
    Optimizer& optimizer;
    Algorithm& algorithm;
    StepContext& context;  // its parameters are the model's
    at::Generator& forward;
    ModelSelection& selection;
    BatchBalance* balance = nullptr;  // null where batches are equal
    SrgSampler* sampler = nullptr;    // null where samples are not drawn
};

// True where a run of this algorithm can be resumed from a checkpoint; the second, also with another number of ranks.
[[nodiscard]] bool canBeSaved(const Algorithm& algorithm);
[[nodiscard]] bool isElastic(const Algorithm& algorithm);

// The algorithm's part of the state, called on every rank after the same step, between two steps. Waits for operations
// in flight. Throws CommError.
[[nodiscard]] Archive saveAlgorithm(const RankParts& parts);
// The rank's whole state, with the algorithm's part; waits for nobody.
[[nodiscard]] Archive saveRank(const RankParts& parts, const Archive& algorithm, const RankCounters& counters);

// Replaces the first weights and Algorithm::start(), on new objects made from the same experiment. Errors: state that
// is missing, or of another model, optimiser or precision.
[[nodiscard]] Result<RankCounters> restoreRank(const RankParts& parts, const Archive& archive);

// Replaces the first weights by the common state of a checkpoint of another number of ranks (common_state.h), and
// restores the rank's own streams where `own`, the archive of the rank's number, has them. The model's state from batch
// to batch is restored where it is the same on every rank, or a stream of the rank (common_pass_state.h).
// Rates and norms begin anew. Algorithm::start() comes after it.
// Errors: as restoreRank().
[[nodiscard]] Status restoreCommon(const RankParts& parts, const Archive& common, const Archive& own);

}  // namespace dasgd
