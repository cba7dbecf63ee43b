#include "core/train/checkpoint/checkpoint_writer.h"

#include <algorithm>
#include <utility>

#include "core/base/utc.h"
#include "core/train/checkpoint/archive_file.h"
#include "core/train/checkpoint/rank_counters.h"
#include "core/train/checkpoint/saved_model.h"

namespace dasgd {

CheckpointWriter::CheckpointWriter(CheckpointPlace place, Roles roles, int ranks, Rank rank, int keep, Thread thread)
    : place_(std::move(place)),
      folder_(place_.folder),
      roles_(std::move(roles)),
      ranks_(ranks),
      rank_(rank),
      keep_(keep),
      thread_(thread) {}

CheckpointWriter::~CheckpointWriter() {
    if (pending_.valid()) pending_.wait();
}

Status CheckpointWriter::write(std::int64_t step, Archive state) {
    Status before = finish();
    const auto policy = thread_ == Thread::Own ? std::launch::async : std::launch::deferred;
    pending_ = std::async(policy, [this, step, state = std::move(state)] { return store(step, state); });
    if (thread_ == Thread::Callers) pending_.wait();
    return before;
}

Status CheckpointWriter::finish() { return pending_.valid() ? pending_.get() : Status{}; }

Status CheckpointWriter::store(std::int64_t step, const Archive& state) const {
    DASGD_ASSIGN(const std::filesystem::path making, folder_.begin(step));
    DASGD_TRY(writeArchive(making / CheckpointFolder::rankFileName(rank_), state));
    if (!folder_.claim(step, ranks_)) return {};
    return complete(step);
}

Status CheckpointWriter::complete(std::int64_t step) const {
    DASGD_ASSIGN(const std::filesystem::path making, folder_.begin(step));
    SavedModel model;
    Ns wall = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
        DASGD_ASSIGN(const Archive saved, readArchive(making / CheckpointFolder::rankFileName(Rank(rank)),
                                                      {"weights/", "named/", "buffers/"}));
        DASGD_ASSIGN(const RankCounters counters, countersOf(saved));
        wall = std::max(wall, counters.wall);
        DASGD_TRY(model.add(saved, roles_.trains(Rank(rank))));
    }
    DASGD_TRY(writeArchive(making / CheckpointFolder::kModelFile, model.take()));
    return folder_.complete({.runId = place_.runId,
                             .step = step,
                             .ranks = ranks_,
                             .configHash = place_.configHash,
                             .wall = wall,
                             .savedAt = utcNowAs("%Y-%m-%dT%H:%M:%SZ"),
                             .files = {}},
                            keep_);
}

Result<Archive> readRank(const Checkpoint& checkpoint, Rank rank) { return readArchive(checkpoint.rankFile(rank)); }

}  // namespace dasgd
