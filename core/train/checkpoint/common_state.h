// What the ranks of a checkpoint have in common: with it a run goes on with another number of ranks.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/step/archive.h"
#include "core/train/checkpoint/rank_counters.h"

namespace dasgd {

struct CommonState {
    // As that of a rank, without the algorithm's part and the streams that are a rank's own. Weights and buffers: of
    // the model that an evaluation would judge. The optimiser's state: the mean over the ranks, its counts those of
    // rank 0, as is the rest.
    Archive archive;
    std::vector<RankCounters> counters;  // by rank
};

// Of ranks that all train; one of them in memory at a time. Errors: of the files.
[[nodiscard]] Result<CommonState> commonStateOf(const Checkpoint& checkpoint);

// Where the counters of all go: `rank` of `ranks` takes over the bytes that every ranks-th rank has sent, so that their
// sum stays, and the longest of the times.
[[nodiscard]] RankCounters takenOver(const std::vector<RankCounters>& counters, Rank rank, int ranks);

}  // namespace dasgd
