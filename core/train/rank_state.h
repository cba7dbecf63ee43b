// All of a rank between two steps as named tensors and integers, and the way back. A run that was saved and went on in
// new objects takes the same way, to the last bit, as one that was not: on the processor, and where the algorithm's
// values do not depend on who comes first.
//
//   weights/<parameter>, buffers/<buffer>   by their names in the network
//   named/<parameter>                       the rank's part of the weights that are evaluated, where the algorithm
//                                           names them (NamesWeights)
//   optimizer/…, rule/…, model/<i>     what each of them keeps; the rule is the algorithm
//   random/own, /shared, /forward           random streams: the algorithm's two, and what the network draws from
//   selection                               what the evaluations so far have decided
//
// Where samples are: not kept, but made again from the step (training_data.h). Batches depend on nothing else.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

#include "core/algorithms/algorithm.h"
#include "core/models/model.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"
#include "core/train/checkpoint/rank_counters.h"
#include "core/train/model_selection.h"

namespace dasgd {

// The parts of one rank; all outlive the calls.
struct RankParts {
    Model& model;
    Optimizer& optimizer;
    Algorithm& algorithm;
    StepContext& context;  // whose parameters are the model's
    at::Generator& forward;
    ModelSelection& selection;
};

// Whether a run of this algorithm can go on from a checkpoint, and whether with another number of ranks.
[[nodiscard]] bool canBeSaved(const Algorithm& algorithm);
[[nodiscard]] bool isElastic(const Algorithm& algorithm);

// The algorithm's part, on every rank after the same step, between two steps. Awaits what is in flight. Throws
// CommError.
[[nodiscard]] Archive saveAlgorithm(const RankParts& parts);
// All of the rank, with the algorithm's part; waits for nobody.
[[nodiscard]] Archive saveRank(const RankParts& parts, const Archive& algorithm, const RankCounters& counters);

// In place of the first weights and of Algorithm::start(), on new objects made from the same experiment. Errors: state
// that is missing, or of another model, optimiser or precision.
[[nodiscard]] Result<RankCounters> restoreRank(const RankParts& parts, const Archive& archive);

// In place of the first weights: what the ranks of a checkpoint of another number had in common (common_state.h), and
// the rank's own streams, where `own`, the archive of its number, has them. Algorithm::start() comes after it. Errors:
// as above.
[[nodiscard]] Status restoreCommon(const RankParts& parts, const Archive& common, const Archive& own);

}  // namespace dasgd
