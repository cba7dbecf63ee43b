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
    std::vector<std::string> passedOver;  // newer checkpoints that cannot be read, and why
};

// The newest checkpoint of the run, or that of step `step`. A run that has none, and itself went on from another one's,
// goes on from there again. Errors: there is none; it is of another configuration than the run's.
[[nodiscard]] Result<FoundResumePoint> resumePointOf(const storage::WorkspacePaths& paths, storage::RunReader& reader,
                                                     const storage::RunRow& run, std::optional<std::int64_t> step = {});

}  // namespace dasgd::experiments
