#include "core/train/checkpoint/checkpoint_writer.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "core/base/utc.h"
#include "core/train/checkpoint/archive_file.h"
#include "core/train/checkpoint/rank_counters.h"
#include "core/train/checkpoint/saved_model.h"

namespace dasgd {

namespace {

constexpr int kBehindTraining = 10;  // nice: a tenth of a core that others want too

}  // namespace

Status completeIfLast(const CheckpointCompletion& run, std::int64_t step) {
    const CheckpointFolder folder(run.place.folder);
    if (!folder.claim(step, run.ranks)) return {};
    DASGD_ASSIGN(const std::filesystem::path making, folder.begin(step));
    SavedModel model;
    Ns wall = 0;
    std::int64_t collectives = 0;
    for (int rank = 0; rank < run.ranks; ++rank) {
        DASGD_ASSIGN(const Archive saved, readArchive(making / CheckpointFolder::rankFileName(Rank(rank)),
                                                      {"weights/", "named/", "buffers/"}));
        DASGD_ASSIGN(const RankCounters counters, countersOf(saved));
        wall = std::max(wall, counters.wall);
        collectives = std::max(collectives, counters.collectives);
        DASGD_TRY(model.add(saved, run.roles.trains(Rank(rank))));
    }
    DASGD_TRY(writeArchive(making / CheckpointFolder::kModelFile, model.take()));
    return folder.complete({.runId = run.place.runId,
                            .step = step,
                            .ranks = run.ranks,
                            .configHash = run.place.configHash,
                            .wall = wall,
                            .collectives = static_cast<std::uint32_t>(collectives),
                            .savedAt = utcNowAs("%Y-%m-%dT%H:%M:%SZ"),
                            .files = {}},
                           run.keep);
}

CheckpointWriter::CheckpointWriter(CheckpointCompletion run, Rank rank, Thread thread)
    : run_(std::move(run)), rank_(rank), thread_(thread) {}

CheckpointWriter::~CheckpointWriter() {
    if (pending_.valid()) pending_.wait();
}

Status CheckpointWriter::write(std::int64_t step, Archive state, Pace pace) {
    Status before = finish();
    const auto policy = thread_ == Thread::Own ? std::launch::async : std::launch::deferred;
    const bool behind = thread_ == Thread::Own && pace == Pace::BehindTraining;
    pending_ = std::async(policy, [this, step, behind, state = std::move(state)] {
        // Of this thread alone, on Linux. Who is nice already stays so.
        if (behind) ::setpriority(PRIO_PROCESS, 0, std::max(kBehindTraining, ::getpriority(PRIO_PROCESS, 0)));
        return store(step, state);
    });
    if (thread_ == Thread::Callers) pending_.wait();
    return before;
}

Status CheckpointWriter::finish() { return pending_.valid() ? pending_.get() : Status{}; }

Status CheckpointWriter::store(std::int64_t step, const Archive& state) const {
    DASGD_ASSIGN(const std::filesystem::path making, CheckpointFolder(run_.place.folder).begin(step));
    const std::filesystem::path file = making / CheckpointFolder::rankFileName(rank_);
    DASGD_TRY(writeArchive(file, state));
    // The folder stays: other ranks of this host may be writing into it.
    return run_.place.deliver ? run_.place.deliver(file) : completeIfLast(run_, step);
}

Result<Archive> readRank(const Checkpoint& checkpoint, Rank rank) { return readArchive(checkpoint.rankFile(rank)); }

}  // namespace dasgd
