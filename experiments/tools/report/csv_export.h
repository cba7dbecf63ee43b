// A run as CSV files: one a metric name, and its spans.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::experiments {

// Writes into `folder`, which is made where missing: train_loss.csv, …, spans.csv. Columns as in the views
// metric_points and span_list. Returns the files written.
Result<std::vector<std::filesystem::path>> exportCsv(storage::WorkspaceReader& reader, const std::string& runId,
                                                     const std::filesystem::path& folder);

// A metric's name as a file name: letters, digits, '-' and '_' stay, the rest becomes '_'; never empty or hidden.
[[nodiscard]] std::string fileNameFor(const std::string& metric);

}  // namespace dasgd::experiments
