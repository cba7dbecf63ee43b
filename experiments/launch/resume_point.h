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
    std::vector<std::string> passedOver;  // newer checkpoints that are damaged, and how
    std::string unchecked;                // a sentence where its files have no digests; else ""
};

// The newest checkpoint of the run of which every byte is as it was written, or that of step `step`. A run that has
// none, and itself went on from another one's, goes on from there again, or from an earlier one there. Errors: there is
// none; it is of another run, or of another configuration than the run's.
[[nodiscard]] Result<FoundResumePoint> resumePointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                                     const storage::RunRow& run, std::optional<std::int64_t> step = {});

// Logs what was passed over, and what could not be checked.
void logDoubts(const FoundResumePoint& found);

// The newest whole checkpoint of a run that starts again, or nothing if there is none. Logs damaged checkpoints.
[[nodiscard]] std::optional<ResumePoint> restartPointOf(const storage::WorkspacePaths& paths,
                                                        storage::RunReader& reader, const storage::RunRow& run);

}  // namespace dasgd::experiments
