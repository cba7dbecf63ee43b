// The numbers of a run as `run --json`, `list`, `show` and `compare` give them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics.h"
#include "storage/read/metric_reader.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// First steps that calibration leaves out, because caches, allocators and connections are cold.
inline constexpr std::int64_t kWarmUpSteps = 3;

// Failures that a virtual run met (fault/host_down, fault/link_down), and how many of them it did not see the end of.
struct FaultCounts {
    int hosts = 0, hostsOut = 0;
    int links = 0, linksOut = 0;
};
[[nodiscard]] Result<FaultCounts> faultCounts(storage::MetricReader& reader, const std::string& runId);
// "3 host failures (1 not back), 2 link failures".
[[nodiscard]] std::string faultText(const FaultCounts& counts);

// "validation" or "test": the set on which the model was chosen whose test accuracy is the run's best.
[[nodiscard]] std::string bestChosenOn(const storage::RunRow& row);

// One object; numbers that are absent or not finite are null.
[[nodiscard]] nlohmann::json toJson(const storage::RunRow& row);
[[nodiscard]] nlohmann::json toJson(const Sample& sample);
[[nodiscard]] nlohmann::json jsonNumber(std::optional<double> value);

// The status; "taken out" of a run that was in a queue and never began; of a run of another workspace that has no end
// here yet, and of which nothing was heard for a minute, with how long ago it was: "running 2 h 05 min ago".
[[nodiscard]] std::string statusWords(const storage::RunRow& row);
// How often the workspace's queue started the training again, and why the last time: "2x, interrupted"; "" where never.
[[nodiscard]] std::string restartedWords(const storage::RunRow& row);

// "finished  loss 0.0812  accuracy 97.3 %  8.31 ms/step  hidden 99.2 %  …"
[[nodiscard]] std::string summaryLine(const storage::RunRow& row);

}  // namespace dasgd::experiments
