// Runs that are written down to wait in the workspace's queue, and belong to no process until they start.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "experiments/run/launch/launcher.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

// Number of restarts of a run in the queue after deaths of its process, where the user gave none.
inline constexpr int kRestartsAfterDeath = 3;

// Adds a run at the end of the queue and returns its id. The run's files are written before its row, which is on the
// disk when this returns. `restarts`: number of restarts after the death of its process or a failure of its own;
// nullopt: kRestartsAfterDeath restarts, only after the death of its process, because a run that fails by itself mostly
// fails again. Errors: of the workspace.
[[nodiscard]] Result<std::string> enqueue(storage::Store& store, const CheckedExperiment& experiment,
                                          const Provenance& provenance, const SeriesPlace& place,
                                          std::optional<int> restarts);

// Adds a run that takes the place of `ended` in the queue and returns its id. `from`: checkpoint from which it resumes;
// nullopt: it begins at step 0. `restarts`: number of restarts that it has left. `reason`: recorded with it. Errors:
// `ended` is no entry any more; of the workspace.
[[nodiscard]] Result<std::string> enqueueNext(storage::Store& store, const std::string& ended,
                                              const std::optional<ResumePoint>& from, int restarts,
                                              const std::string& reason);

// Where it is not as `info` has it, as after a crash of the machine, the run's experiment.toml is written again.
[[nodiscard]] Status restoreRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info);

}  // namespace dasgd::experiments
