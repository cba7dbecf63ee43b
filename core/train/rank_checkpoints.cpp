#include "core/train/rank_checkpoints.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "core/algorithms/extensions.h"
#include "core/base/log.h"
#include "core/base/make_folders.h"
#include "core/checkpoint/stored_file.h"
#include "core/train/checkpoint/archive_file.h"
#include "core/train/checkpoint/common_state.h"
#include "core/train/checkpoint/saved_model.h"
#include "core/train/evaluation/arrivals.h"

namespace dasgd {

namespace {

template <class T>
T orThrow(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}

CheckpointInterval intervalOf(const Experiment& experiment) {
    return experiment.train.checkpoint ? experiment.train.checkpoint->interval() : CheckpointInterval{};
}

// Writes a model, after `step` steps, in the workspace that has the run's checkpoints. `run` is left out where it is
// "".
Status writeModelFile(const CheckpointPlace& place, const std::filesystem::path& file, std::int64_t step, Archive model,
                      const std::string& run) {
    model.put("step", step);
    DASGD_TRY(writeArchive(file, model, run, FileDigest::OfContent));
    return place.deliver ? place.deliver(file) : Status{};
}

// Makes the checkpoints' folder, but not the run's around it: a run that was removed is not to come back.
Status writeBest(const CheckpointPlace& place, std::int64_t step, Archive network) {
    // Where it cannot be made the file cannot be written, which says why.
    static_cast<void>(makeFoldersBelow(place.folder.parent_path(), place.folder.filename()));
    return writeModelFile(place, place.folder / CheckpointFolder::kBestFile, step, std::move(network), place.runId);
}

// Reads the best model of the run `run`. Errors name the file: unreadable, damaged, of another run.
Result<Archive> readBest(const std::filesystem::path& file, const std::string& run) {
    DASGD_ASSIGN(const bool isChecked, checkContent(file));
    if (!isChecked) logLine(LogLevel::Info, uncheckedRemark(file));
    DASGD_ASSIGN(ArchiveOfRun best, readArchiveOfRun(file));
    DASGD_TRY(checkRunOf(file, best, run));
    return std::move(best.archive);
}

}  // namespace

CheckpointCompletion completionOf(const Experiment& experiment, CheckpointPlace place) {
    return {.place = std::move(place),
            .roles = experiment.roles(),
            .ranks = static_cast<int>(experiment.cluster.workers),
            .keep = static_cast<int>(experiment.train.checkpoint.value_or(CheckpointParams{}).keep)};
}

std::int64_t firstStepOf(const Experiment& experiment, const CheckpointEnvironment* checkpoints, const Plan& plan,
                         std::int64_t trainSamples) {
    if (!checkpoints || !checkpoints->from) return 0;
    const CheckpointState& from = checkpoints->from->state;
    if (from.ranks == experiment.cluster.workers) return from.step;
    const Plan before = planSteps(experiment, trainSamples, from.ranks);
    return std::min(stepOfSamePlace(before, plan, from.step), plan.totalSteps - 1);
}

RankCheckpoints::RankCheckpoints(const Experiment& experiment, const CheckpointEnvironment& environment,
                                 RankParts parts, EventSink& sink, bool unboundedSkew, std::int64_t firstStep)
    : experiment_(experiment),
      environment_(environment),
      parts_(parts),
      sink_(sink),
      writer_(completionOf(experiment, environment.place), parts.context.comm().rank(),
              experiment.timeSimulated() ? CheckpointWriter::Thread::Callers : CheckpointWriter::Thread::Own),
      times_(intervalOf(experiment), firstStep, environment.decisions),
      canBeSaved_(canBeSaved(parts.algorithm)),
      unboundedSkew_(unboundedSkew),
      firstStep_(firstStep) {}

RankCounters RankCheckpoints::restore() {
    const RankCounters counters = isOfOtherRanks() ? restoreOfOthers() : restoreOwn();
    // The count comes from the checkpoint, not from the rank's own: ranks that never wait for each other have not begun
    // equally many collectives.
    parts_.context.comm().countCollectivesFrom(environment_.from->state.collectives);
    if (environment_.restored) environment_.restored();
    return counters;
}

RankCounters RankCheckpoints::restoreOwn() {
    const Checkpoint& from = *environment_.from;
    const Rank rank = parts_.context.comm().rank();
    const auto restored = restoreRank(parts_, orThrow(readRank(from, rank)));
    if (!restored) throw std::runtime_error(from.rankFile(rank).string() + ": " + restored.error().message);
    if (rank == Rank{0}) takeOverBest();
    return *restored;
}

bool RankCheckpoints::isOfOtherRanks() const {
    return environment_.from && environment_.from->state.ranks != experiment_.cluster.workers;
}

void RankCheckpoints::startResumed() {
    if (!isOfOtherRanks()) return;
    dynamic_cast<Elastic&>(parts_.algorithm).startFrom(parts_.context, environment_.from->state.step);
}

// The checkpoint has another number of ranks: each rank resumes from their common state.
RankCounters RankCheckpoints::restoreOfOthers() {
    const Checkpoint& from = *environment_.from;
    const auto workers = static_cast<int>(experiment_.cluster.workers);
    if (!isElastic(parts_.algorithm)) {
        throw std::runtime_error(from.folder.string() + " is of " + std::to_string(from.state.ranks) +
                                 " workers; a run of " + experiment_.algorithmName +
                                 " is resumed with as many, not with " + std::to_string(workers));
    }
    const Rank rank = parts_.context.comm().rank();
    // Simulated ranks share a process, others have one each.
    const int here = experiment_.timeSimulated() ? workers : 1;
    const std::shared_ptr<const CommonState> common = orThrow(environment_.common->of(from, here));
    const Archive own =
        rank.value() < from.state.ranks ? orThrow(readRank(from, rank, {"random/", "model/"})) : Archive();
    const Status restored = restoreCommon(parts_, common->archive, own);
    if (!restored) throw std::runtime_error(from.folder.string() + ": " + restored.error().message);
    if (rank == Rank{0}) takeOverBest();
    RankCounters counters = takenOver(common->counters, rank, workers);
    counters.step = firstStep_;
    return counters;
}

void RankCheckpoints::afterStep(std::int64_t step, const Counters& counters) {
    if (canBeSaved_ && times_.isAgreementDue(step) && agree(step)) save(counters);
}

// Decides whether to save. Ranks that meet for it resume with the offsets with which they arrived.
bool RankCheckpoints::agree(std::int64_t step) {
    StepContext& context = parts_.context;
    if (!times_.meets()) return times_.agree(context.comm(), step);
    const Ns arrived = unboundedSkew_ ? 0 : context.clock().now();
    const std::int64_t before = context.comm().bytesSent();
    const UntimedScope untimed(context.executor());
    bool due = false;
    context.executor().run({SpanKind::Checkpoint}, [&] {
        due = times_.agree(context.comm(), step);
        context.clock().sleepUntil(resumeInstant(context.comm(), context.clock(), arrived));
    });
    bytes_ += context.comm().bytesSent() - before;
    return due;
}

// Operations in flight are awaited outside of the pause: a wait that the checkpoint brings forward still counts as the
// algorithm's, so no figure gets better. The counters are read behind it: a resumed run has these waits and messages
// too.
void RankCheckpoints::save(const Counters& counters, CheckpointWriter::Pace pace) {
    if (!canBeSaved_) return;
    const Archive algorithm = saveAlgorithm(parts_);
    const RankCounters now = counters();
    parts_.context.executor().run({SpanKind::Checkpoint}, [&] {
        const auto before = writer_.write(now.step, saveRank(parts_, algorithm, now), pace);
        takeOutcome(now.step, before);
    });
}

// Whoever follows the run reads that it is losing checkpoints, or keeps too many, while something can be done about it.
void RankCheckpoints::takeOutcome(std::int64_t step, const Result<std::string>& written) {
    if (!written) {
        ++lost_;
        whyLost_ = written.error().message;
        const std::string text = "a checkpoint was lost: " + whyLost_;
        sink_.state(RankState::Running, step, text);
        sayOnce(text);
    } else if (!written->empty()) {
        trouble_ = "the folder of the checkpoints could not be kept in order: " + *written;
        if (sayOnce(trouble_)) sink_.state(RankState::Running, step, trouble_);
    }
}

bool RankCheckpoints::sayOnce(const std::string& text) {
    // The names of its files have the step.
    std::string cause = text;
    std::erase_if(cause, [](unsigned char one) { return std::isdigit(one) != 0; });
    const bool isNew = causes_.insert(cause).second;
    if (isNew) logLine(LogLevel::Warning, text, parts_.context.comm().rank().value());
    return isNew;
}

void RankCheckpoints::keepBest(std::int64_t step, Archive network) {
    if (best_.valid()) static_cast<void>(best_.get());  // result of one that is not the best any more
    best_ = std::async(std::launch::async, [&place = environment_.place, step, network = std::move(network)] {
        return writeBest(place, step, network);
    });
}

// Takes over the best model up to the checkpoint, where no later one has replaced it. Training goes on without a model
// that is damaged or of another run: the next one that an evaluation finds best is kept.
void RankCheckpoints::takeOverBest() {
    const auto file = environment_.from->folder.parent_path() / CheckpointFolder::kBestFile;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return;
    const auto best = readBest(file, environment_.from->state.runId);
    if (!best) {
        sayOnce("the best model so far was not taken over: " + best.error().message);
        return;
    }
    const std::int64_t step = best->integer("step").value_or(0);
    const std::int64_t saved = environment_.from->state.step;
    if (step > saved) return;
    // Step number in these ranks' steps.
    const std::int64_t own = saved == firstStep_ ? step : step * firstStep_ / saved;
    if (const Status taken = writeBest(environment_.place, own, *best); !taken) {
        throw std::runtime_error(taken.error().message);
    }
}

std::string RankCheckpoints::finish(std::int64_t step) {
    takeOutcome(step, writer_.finish());
    std::string lost;
    if (lost_ == 1) lost = "a checkpoint was lost: " + whyLost_;
    if (lost_ > 1) lost = std::to_string(lost_) + " checkpoints were lost; last: " + whyLost_;
    if (!trouble_.empty()) lost += (lost.empty() ? "" : "; ") + trouble_;
    const Status best = best_.valid() ? best_.get() : Status{};
    if (!best) lost += (lost.empty() ? "" : "; ") + ("the best model was lost: " + best.error().message);
    return lost;
}

// The file does not name the run, so that two runs that end with the same weights leave the same file.
std::string RankCheckpoints::writeModel(std::int64_t step) {
    const auto file = environment_.place.folder.parent_path() / CheckpointFolder::kModelFile;
    const Status written = writeModelFile(environment_.place, file, step, modelOf(parts_.model.module()), "");
    return written ? "" : "the model was lost: " + written.error().message;
}

std::function<void(std::int64_t, Archive)> writeBestInto(CheckpointPlace place) {
    return [place = std::move(place)](std::int64_t step, Archive network) {
        const Status written = writeBest(place, step, std::move(network));
        if (!written) logLine(LogLevel::Warning, "the best model was lost: " + written.error().message);
    };
}

}  // namespace dasgd
