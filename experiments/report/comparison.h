// Runs side by side; repetitions of one configuration (core/analysis/configuration.h) are one row.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

struct ComparedGroup {
    std::string label;  // "dasgd delay=2": the algorithm and what sets the groups apart
    std::string algorithm;
    std::vector<std::string> runIds;
    std::size_t unfinished = 0;  // runs that failed or stopped: in no mean
    Sample stepMs, finalLoss, bestAccuracy, hidden, blocked, bytesSent;
    Sample samples;                       // of all workers of a run
    Sample equalLoss, equalBestAccuracy;  // at Comparison::equalSamples
    // Time per step ÷ that of the baseline, and ÷ that of `independent` (computing alone).
    std::optional<double> stepRatio, computeRatio;
};

struct Comparison {
    std::vector<ComparedGroup> groups;  // in the order of their first run
    std::string baseline;               // a label; "" where nothing was timed
    // Where finished runs were trained on different numbers of samples: the largest number that all reached, by their
    // evaluations. nullopt where all were trained on the same, or none was evaluated.
    std::optional<std::int64_t> equalSamples;
};

// `baseline`: the label or algorithm that ratios refer to; "" takes sync_sgd where there is one, else the slowest.
// Errors: no such run or baseline.
[[nodiscard]] Result<Comparison> compareRuns(storage::RunReader& reader, const std::vector<std::string>& runIds,
                                             const std::string& baseline);

// A table, and below it who was faster by how much, in words.
[[nodiscard]] std::string comparisonText(const Comparison& comparison);
[[nodiscard]] std::string comparisonCsv(const Comparison& comparison);
[[nodiscard]] nlohmann::json comparisonJson(const Comparison& comparison);

}  // namespace dasgd::experiments
