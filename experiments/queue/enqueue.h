// Runs that are written down to wait in the workspace's queue, and belong to no process until they start.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "experiments/launch/launcher.h"
#include "storage/recorder.h"

namespace dasgd::experiments {

// At the end of the queue; answers the run's id. Its files are there before its row, which is on the disk when this
// returns. Errors: of the workspace.
[[nodiscard]] Result<std::string> enqueue(storage::Store& store, const CheckedExperiment& experiment,
                                          const Provenance& provenance, const SeriesPlace& place, int restarts);

// The run that takes the place of `ended` in the queue and goes on from there, or begins again. Errors: `ended` is no
// entry any more; of the workspace.
[[nodiscard]] Result<std::string> enqueueNext(storage::Store& store, const std::string& ended,
                                              const std::optional<ResumePoint>& from, int restarts);

// Where it is not as `info` has it, as after a crash of the machine, the run's experiment.toml is written again.
[[nodiscard]] Status restoreRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info);

}  // namespace dasgd::experiments
