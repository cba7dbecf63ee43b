// Runs that are written down to wait in the workspace's queue, and belong to no process until they start.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "experiments/launch/launcher.h"
#include "storage/recorder.h"

namespace dasgd::experiments {

// How often a training of the queue starts again where its process dies and nobody said how often it may.
inline constexpr int kRestartsAfterDeath = 3;

// At the end of the queue; answers the run's id. Its files are there before its row, which is on the disk when this
// returns. `restarts`: how often it may start again where its process dies, or it fails by itself; nothing:
// kRestartsAfterDeath times, where its process dies alone, as what fails by itself mostly fails again. Errors: of the
// workspace.
[[nodiscard]] Result<std::string> enqueue(storage::Store& store, const CheckedExperiment& experiment,
                                          const Provenance& provenance, const SeriesPlace& place,
                                          std::optional<int> restarts);

// The run that takes the place of `ended` in the queue and goes on from there, or begins again, for `reason`, with so
// many restarts left. Errors: `ended` is no entry any more; of the workspace.
[[nodiscard]] Result<std::string> enqueueNext(storage::Store& store, const std::string& ended,
                                              const std::optional<ResumePoint>& from, int restarts,
                                              const std::string& reason);

// Where it is not as `info` has it, as after a crash of the machine, the run's experiment.toml is written again.
[[nodiscard]] Status restoreRunFiles(const storage::WorkspacePaths& paths, const storage::RunInfo& info);

}  // namespace dasgd::experiments
