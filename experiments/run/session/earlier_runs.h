// Finds the runs that a workspace already has of the experiments to be run: `dasgd run --resume`.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/run/session/resume_point.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

// The earlier run of one experiment. If neither is set, the experiment starts from step 0.
struct EarlierRun {
    std::optional<storage::RunRow> finished;  // the run, where it is finished
    std::optional<ResumePoint> from;          // newest checkpoint of a run that ended early
};

// For each experiment its newest run with exactly the same settings. A run that left no checkpoint counts as none.
// Errors: one that is under way, in whatever process; of the workspace.
[[nodiscard]] Result<std::vector<EarlierRun>> earlierRuns(const storage::WorkspacePaths& paths,
                                                          storage::RunReader& reader,
                                                          const std::vector<CheckedExperiment>& experiments);

}  // namespace dasgd::experiments
