// Moves in a queue.
#pragma once

#include <string>
#include <vector>

#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// `queue` with `runs` moved as `action` says: first, last, up, down (each by one). They keep their order among
// themselves.
[[nodiscard]] std::vector<storage::RunRow> moved(const std::vector<storage::RunRow>& queue,
                                                 const std::vector<storage::RunRow>& runs, const std::string& action);

}  // namespace dasgd::experiments
