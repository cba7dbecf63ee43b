// Runs side by side: those that differ in nothing but the seed are repetitions of one configuration.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/statistics.h"
#include "core/base/value.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

struct ComparedGroup {
    std::string label;  // "dasgd delay=2": the algorithm and what sets the groups apart
    std::string algorithm;
    std::vector<std::string> runIds;
    std::size_t unfinished = 0;  // runs that failed or stopped: in no mean
    Sample stepMs, finalLoss, bestAccuracy, hidden, blockedS, bytesSent;
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

// Every setting of a table by its dotted key, as text, in the order of the document.
using FlatSettings = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] FlatSettings flatSettings(const Value& table);

// One label each for configurations of which `configs` are the resolved TOML documents: the algorithm, then the keys
// that have more than one value among those that have them.
[[nodiscard]] std::vector<std::string> labelConfigurations(const std::vector<std::string>& configs);

}  // namespace dasgd::experiments
