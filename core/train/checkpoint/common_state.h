// What the ranks of a checkpoint have in common: with it a run goes on with another number of ranks.
#pragma once

#include <memory>
#include <mutex>
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

// What `rank` of `ranks` goes on from: its share of the bytes that all have sent, so that their sum stays, and the
// longest of the times.
[[nodiscard]] RankCounters takenOver(const std::vector<RankCounters>& counters, Rank rank, int ranks);

// Forms it once for all ranks of a process, and keeps it until each of them has it. Any thread.
class CommonStateOnce {
public:
    // `ranks`: how many of the process will ask.
    [[nodiscard]] Result<std::shared_ptr<const CommonState>> of(const Checkpoint& checkpoint, int ranks);

private:
    std::mutex mutex_;
    std::shared_ptr<const CommonState> state_;
    int given_ = 0;
};

}  // namespace dasgd
