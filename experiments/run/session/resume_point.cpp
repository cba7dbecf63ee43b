#include "experiments/run/session/resume_point.h"

#include <algorithm>

#include "core/analysis/runs/configuration.h"
#include "core/base/digest/sha256.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

std::string stepsText(const std::vector<std::int64_t>& steps) {
    std::string text;
    for (const std::int64_t step : steps) text += (text.empty() ? "" : ", ") + std::to_string(step);
    return text;
}

struct Found {
    storage::RunRow run;  // run that saved the checkpoint
    CheckpointFolder::Latest latest;
};

// Condition on a checkpoint for the run to go on from it. Without this condition one that was copied from another run
// would hide the run's own.
CheckpointFolder::Condition isOf(const storage::RunRow& run) {
    return [&run, config = sha256Of(run.config)](const Checkpoint& checkpoint) -> Status {
        DASGD_TRY(checkIsOfRun(checkpoint.folder, checkpoint.state.runId, run.runId));
        if (checkpoint.state.configHash == config) return {};
        return fail(checkpoint.folder.string() + ": is of another configuration than run " + run.runId);
    };
}

Result<Found> ofStep(const CheckpointFolder& folder, const storage::RunRow& run, std::int64_t step) {
    const std::vector<std::int64_t> steps = folder.steps();
    if (std::ranges::find(steps, step) == steps.end() && !steps.empty()) {
        return fail("there is no checkpoint of step " + std::to_string(step) + "; there are those of " +
                    stepsText(steps));
    }
    Found found{.run = run, .latest = {}};
    DASGD_ASSIGN(found.latest.checkpoint, folder.checkedAt(step, isOf(run)));
    return found;
}

// The newest up to step `most` of the run, or of the runs that it went on from.
Result<Found> newest(const storage::WorkspacePaths& paths, storage::RunReader& reader, const storage::RunRow& run,
                     std::optional<std::int64_t> most) {
    const CheckpointFolder folder(paths.checkpoints(run.runId));
    auto own = folder.latest(most, isOf(run));
    if (own) return Found{.run = run, .latest = std::move(*own)};
    if (run.resumedFrom.empty()) return fail(own.error().message);
    DASGD_ASSIGN(const storage::RunRow before, reader.row(run.resumedFrom));
    DASGD_ASSIGN(Found found, newest(paths, reader, before, run.resumedStep));
    if (!folder.steps().empty()) found.latest.passedOver.insert(found.latest.passedOver.begin(), own.error().message);
    return found;
}

}  // namespace

Result<FoundResumePoint> resumePointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                       const storage::RunRow& run, std::optional<std::int64_t> step) {
    const dasgd::Settings settings = settingsOf(run.config);
    const auto work = settings.find("train.work");
    if (work != settings.end() && work->second == "shared") {
        return fail(
            "run " + run.runId +
            " cannot go on: its workers share the work (train.work), and such runs leave no checkpoint yet; run it "
            "again");
    }
    const CheckpointFolder folder(paths.checkpoints(run.runId));
    auto found = step ? ofStep(folder, run, *step) : newest(paths, reader, run, {});
    if (!found) {
        return fail(
            "run " + run.runId + " cannot go on: " + found.error().message +
            (folder.steps().empty()
                 ? ". A run leaves one when it is stopped, and now and then with `[train] checkpoint = { every = "
                   "\"10min\" }`"
                 : ""));
    }
    const Checkpoint& checkpoint = found->latest.checkpoint;
    const CheckpointState& state = checkpoint.state;
    return FoundResumePoint{
        .point = {.runId = found->run.runId,
                  .checkpoints = paths.checkpoints(found->run.runId),
                  .step = state.step,
                  .ranks = state.ranks,
                  .wall = state.wall},
        .passedOver = std::move(found->latest.passedOver),
        .unchecked = state.hasDigests() ? ""
                                        : checkpoint.folder.string() +
                                              " was written before checkpoints had digests: its files were checked by "
                                              "their size alone"};
}

void logDoubts(const FoundResumePoint& found) {
    for (const std::string& damaged : found.passedOver) {
        logLine(LogLevel::Warning, printable("passed over: " + damaged));
    }
    if (!found.unchecked.empty()) logLine(LogLevel::Warning, printable(found.unchecked));
}

std::optional<ResumePoint> restartPointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                          const storage::RunRow& run) {
    auto found = resumePointOf(paths, reader, run);
    if (found) {
        logDoubts(*found);
        return std::move(found->point);
    }
    const bool hasAny = !CheckpointFolder(paths.checkpoints(run.runId)).steps().empty() || !run.resumedFrom.empty();
    if (hasAny) logLine(LogLevel::Warning, printable(found.error().message + "; it begins again"));
    return std::nullopt;
}

}  // namespace dasgd::experiments
