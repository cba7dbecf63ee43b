// From which checkpoint a run can go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/launch/launcher.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

struct FoundResumePoint {
    ResumePoint point;
    std::vector<std::string> passedOver;  // errors of newer checkpoints that are damaged
    std::string unchecked;                // a sentence where its files have no digests (format 1); else ""
};

// The newest checkpoint of the run that passes CheckpointFolder::checkedAt(), or that of step `step`. For a run that
// has none and was itself resumed from another run: that checkpoint again, or an earlier one of the other run. Errors:
// there is no checkpoint; it belongs to another run, or has another configuration than the run.
[[nodiscard]] Result<FoundResumePoint> resumePointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                                     const storage::RunRow& run, std::optional<std::int64_t> step = {});

// Logs `passedOver` and `unchecked`.
void logDoubts(const FoundResumePoint& found);

// The newest usable checkpoint of a run that starts again; nullopt without one. Logs damaged checkpoints.
[[nodiscard]] std::optional<ResumePoint> restartPointOf(const storage::WorkspacePaths& paths,
                                                        storage::RunReader& reader, const storage::RunRow& run);

}  // namespace dasgd::experiments
