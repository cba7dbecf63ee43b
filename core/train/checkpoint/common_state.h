// Common state of a checkpoint's ranks, from which a run can be resumed with another number of ranks.
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
    // Laid out as the archive of a rank, without the algorithm's part and the rank's own random streams. Weights and
    // buffers are those of the model that an evaluation would judge; the optimiser's state is the mean over the ranks;
    // its counters and everything else, the model's state from batch to batch too, are rank 0's.
    Archive archive;
    std::vector<RankCounters> counters;  // by rank
};

// Common state of ranks that all train; one of them in memory at a time. Errors: of the files.
[[nodiscard]] Result<CommonState> commonStateOf(const Checkpoint& checkpoint);

// Counters from which `rank` of `ranks` resumes: its share of the bytes that all have sent, so that their sum stays,
// and the longest of the times.
[[nodiscard]] RankCounters takenOver(const std::vector<RankCounters>& counters, Rank rank, int ranks);

// Forms the common state once for all ranks of a process, and keeps it until each of them has it. Any thread.
class CommonStateOnce {
public:
    // `ranks`: how many ranks of the process will ask.
    [[nodiscard]] Result<std::shared_ptr<const CommonState>> of(const Checkpoint& checkpoint, int ranks);

private:
    std::mutex mutex_;
    std::shared_ptr<const CommonState> state_;
    int given_ = 0;
};

}  // namespace dasgd
