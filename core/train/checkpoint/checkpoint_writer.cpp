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
constexpr const char* kRank = "rank";
constexpr const char* kStep = "step";

// Compares a number in the metadata with the expected one. This finds files without a digest and files that were
// exchanged before they got one; files written before format 2 do not name their rank.
Status checkIdentity(const std::filesystem::path& file, const Archive& saved, const char* name, std::int64_t expected) {
    const auto found = saved.integer(name);
    if (!found || *found == expected) return {};
    return fail(file.string() + ": is of " + name + " " + std::to_string(*found) + ", not of " + name + " " +
                std::to_string(expected));
}

// Makes the model and state.json of a step whose rank files are all there.
Result<std::string> completeClaimed(const CheckpointCompletion& run, const CheckpointFolder& folder,
                                    std::int64_t step) {
    DASGD_ASSIGN(const std::filesystem::path making, folder.begin(step));
    SavedModel model;
    Ns wall = 0;
    std::int64_t collectives = 0;
    for (int rank = 0; rank < run.ranks; ++rank) {
        const std::filesystem::path file = making / CheckpointFolder::rankFileName(Rank(rank));
        DASGD_ASSIGN(const ArchiveOfRun read,
                     readArchiveOfRun(file, {"weights/", "named/", "buffers/", "named_buffers/"}));
        const Archive& saved = read.archive;
        DASGD_TRY(checkRunOf(file, read, run.place.runId));
        DASGD_TRY(checkIdentity(file, saved, kRank, rank));
        DASGD_TRY(checkIdentity(file, saved, kStep, step));
        DASGD_ASSIGN(const RankCounters counters, countersOf(saved));
        wall = std::max(wall, counters.wall);
        collectives = std::max(collectives, counters.collectives);
        DASGD_TRY(model.add(saved, run.roles.trains(Rank(rank))));
    }
    Archive mean = model.take();
    mean.put(kStep, step);
    DASGD_TRY(writeArchive(making / CheckpointFolder::kModelFile, mean, run.place.runId));
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

}  // namespace

Result<std::string> completeIfLast(const CheckpointCompletion& run, std::int64_t step) {
    const CheckpointFolder folder(run.place.folder);
    DASGD_ASSIGN(const bool isLast, folder.claim(step, run.ranks));
    if (!isLast) return std::string();
    Result<std::string> completed = completeClaimed(run, folder, step);
    if (!completed) folder.giveUp(step, Rank(0));
    return completed;
}

CheckpointWriter::CheckpointWriter(CheckpointCompletion run, Rank rank, Thread thread)
    : run_(std::move(run)), rank_(rank), thread_(thread) {}

CheckpointWriter::~CheckpointWriter() {
    if (pending_.valid()) pending_.wait();
}

Result<std::string> CheckpointWriter::write(std::int64_t step, Archive state, Pace pace) {
    Result<std::string> before = finish();
    state.put(kRank, rank_.value());
    const auto policy = thread_ == Thread::Own ? std::launch::async : std::launch::deferred;
    const bool behind = thread_ == Thread::Own && pace == Pace::BehindTraining;
    pending_ = std::async(policy, [this, step, behind, state = std::move(state)] {
        // On Linux this sets the priority of this thread alone. A process that is nicer already stays so.
        if (behind) ::setpriority(PRIO_PROCESS, 0, std::max(kBehindTraining, ::getpriority(PRIO_PROCESS, 0)));
        return store(step, state);
    });
    if (thread_ == Thread::Callers) pending_.wait();
    return before;
}

Result<std::string> CheckpointWriter::finish() { return pending_.valid() ? pending_.get() : std::string(); }

Result<std::string> CheckpointWriter::store(std::int64_t step, const Archive& state) const {
    Result<std::string> stored = tryToStore(step, state);
    // In a place of files on their way to another host other ranks may still have theirs.
    if (!stored && !run_.place.deliver) CheckpointFolder(run_.place.folder).giveUp(step, rank_);
    return stored;
}

Result<std::string> CheckpointWriter::tryToStore(std::int64_t step, const Archive& state) const {
    DASGD_ASSIGN(const std::filesystem::path making, CheckpointFolder(run_.place.folder).begin(step));
    const std::filesystem::path file = making / CheckpointFolder::rankFileName(rank_);
    DASGD_TRY(writeArchive(file, state, run_.place.runId));
    if (!run_.place.deliver) return completeIfLast(run_, step);
    // The folder stays: other ranks of this host may be writing into it.
    DASGD_TRY(run_.place.deliver(file));
    return std::string();
}

Result<Archive> readRank(const Checkpoint& checkpoint, Rank rank, const std::vector<std::string>& prefixes) {
    const std::filesystem::path file = checkpoint.rankFile(rank);
    DASGD_TRY(checkpoint.checkFile(file.filename()));
    DASGD_ASSIGN(ArchiveOfRun saved, readArchiveOfRun(file, prefixes));
    DASGD_TRY(checkRunOf(file, saved, checkpoint.state.runId));
    DASGD_TRY(checkIdentity(file, saved.archive, kRank, rank.value()));
    DASGD_TRY(checkIdentity(file, saved.archive, kStep, checkpoint.state.step));
    return std::move(saved.archive);
}

Result<Archive> readModel(const Checkpoint& checkpoint) {
    DASGD_TRY(checkpoint.checkFile(CheckpointFolder::kModelFile));
    DASGD_ASSIGN(ArchiveOfRun model, readArchiveOfRun(checkpoint.modelFile()));
    DASGD_TRY(checkRunOf(checkpoint.modelFile(), model, checkpoint.state.runId));
    return std::move(model.archive);
}

}  // namespace dasgd
