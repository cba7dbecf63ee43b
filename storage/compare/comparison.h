// Reads from stored runs the facts that core/analysis/runs/comparison.h compares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/comparison.h"
#include "core/base/result.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::storage {

// Errors: of the database.
[[nodiscard]] Result<RunSetup> readSetup(RunReader& reader, const RunRow& row);

// True if other programs took cores that the run's ranks needed (storage/compare/external_load.h). Errors: database
// errors.
[[nodiscard]] Result<bool> readDisturbed(WorkspaceReader& reader, const RunRow& row);

// The run with its evaluations, where it has finished. Its time is to `target`, else to the target that it had itself
// (readTargetReached()). Errors: of the database.
[[nodiscard]] Result<ComparedRun> readComparedRun(WorkspaceReader& reader, const RunRow& row,
                                                  const std::optional<Target>& target = std::nullopt);

// `runIds`: exact or unique beginnings. Errors: no such run or baseline.
[[nodiscard]] Result<Comparison> compareRuns(WorkspaceReader& reader, const std::vector<std::string>& runIds,
                                             const std::string& baseline);

}  // namespace dasgd::storage
