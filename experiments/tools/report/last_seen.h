// The last record of each rank, which shows where to look after a run that did not end well.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "storage/read/span_reader.h"

namespace dasgd::experiments {

// "on node2: failed at step 117 (deadline of all-reduce 352 passed); last transfer 351 of step 116, until 12.34 s".
[[nodiscard]] std::string lastSeenText(const storage::RankLastSeen& rank);
// Values that were not recorded are null; instants are in seconds on the run's time line.
[[nodiscard]] nlohmann::json toJson(const storage::RankLastSeen& rank);

}  // namespace dasgd::experiments
