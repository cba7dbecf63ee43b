// From which checkpoint a run can go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/run/launch/launcher.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

struct FoundResumePoint {
    ResumePoint point;
    std::vector<std::string> passedOver;  // errors of newer checkpoints: damaged, of another run or configuration
    std::string unchecked;                // a sentence where its files have no digests (format 1); else ""
};

// The newest checkpoint in the run's folder that is of this run and its configuration and passes
// CheckpointFolder::checkedAt(), or that of step `step`. For a run that has none and was itself resumed from another
// run: that checkpoint again, or an earlier one of the other run. Errors: there is none, and what is wrong with those
// that are there.
[[nodiscard]] Result<FoundResumePoint> resumePointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                                     const storage::RunRow& run, std::optional<std::int64_t> step = {});

// Logs `passedOver` and `unchecked`.
void logDoubts(const FoundResumePoint& found);

// The newest usable checkpoint of a run that starts again; nullopt without one. Logs damaged checkpoints.
[[nodiscard]] std::optional<ResumePoint> restartPointOf(const storage::WorkspacePaths& paths,
                                                        storage::RunReader& reader, const storage::RunRow& run);

}  // namespace dasgd::experiments
