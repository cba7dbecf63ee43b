// The output of `dasgd compare`: core/analysis/runs/comparison.h as a table, CSV and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/runs/comparison.h"

namespace dasgd::experiments {

// A table, and below it who was faster by how much, in words.
[[nodiscard]] std::string comparisonText(const Comparison& comparison);
[[nodiscard]] std::string comparisonCsv(const Comparison& comparison);
[[nodiscard]] nlohmann::json comparisonJson(const Comparison& comparison);

}  // namespace dasgd::experiments
