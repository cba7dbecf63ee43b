#include "experiments/launch/resume_point.h"

#include <algorithm>

#include "core/base/sha256.h"
#include "core/checkpoint/checkpoint_folder.h"

namespace dasgd::experiments {

namespace {

std::string stepsText(const std::vector<std::int64_t>& steps) {
    std::string text;
    for (const std::int64_t step : steps) text += (text.empty() ? "" : ", ") + std::to_string(step);
    return text;
}

Result<CheckpointFolder::Latest> chosen(const CheckpointFolder& folder, std::optional<std::int64_t> step) {
    if (!step) return folder.latest();
    const std::vector<std::int64_t> steps = folder.steps();
    if (std::ranges::find(steps, *step) == steps.end() && !steps.empty()) {
        return fail("there is no checkpoint of step " + std::to_string(*step) + "; there are those of " +
                    stepsText(steps));
    }
    CheckpointFolder::Latest found;
    DASGD_ASSIGN(found.checkpoint, folder.at(*step));
    return found;
}

}  // namespace

Result<FoundResumePoint> resumePointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                       const storage::RunRow& run, std::optional<std::int64_t> step) {
    const CheckpointFolder folder(paths.checkpoints(run.runId));
    if (folder.steps().empty() && !run.resumedFrom.empty() && !step) {
        DASGD_ASSIGN(const storage::RunRow before, reader.row(run.resumedFrom));
        return resumePointOf(paths, reader, before, run.resumedStep);
    }
    auto found = chosen(folder, step);
    if (!found) {
        return fail(
            "run " + run.runId + " cannot go on: " + found.error().message +
            (folder.steps().empty()
                 ? ". A run leaves one when it is stopped, and now and then with `[train] checkpoint = { every = "
                   "\"10min\" }`"
                 : ""));
    }
    const CheckpointState& state = found->checkpoint.state;
    if (state.configHash != sha256Of(run.config)) {
        return fail(found->checkpoint.folder.string() + " is of another configuration than run " + run.runId);
    }
    return FoundResumePoint{.point = {.runId = run.runId,
                                      .checkpoints = paths.checkpoints(run.runId),
                                      .step = state.step,
                                      .ranks = state.ranks,
                                      .wall = state.wall},
                            .passedOver = std::move(found->passedOver)};
}

}  // namespace dasgd::experiments
