// The numbers of `dasgd compare` as text, in tables that a terminal is wide enough for.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/runs/comparison.h"

namespace dasgd::experiments {

struct ComparisonColumn {
    std::string head;
    std::vector<std::string> cells;  // one cell per group
};

// Results, what a step takes, and the way to the target. Columns that no group has a value for are left out.
struct ComparisonTables {
    std::vector<std::vector<ComparisonColumn>> tables;
    std::vector<std::string> lacking;  // measures of a step that no run has, by their heads
    bool hasDash = false;              // a column that is shown has a dash
};
[[nodiscard]] ComparisonTables comparisonTables(const Comparison& comparison);

// True if any run reached a target, timed or not.
[[nodiscard]] bool hasTarget(const Comparison& comparison);
// Its best is chosen on the test set that it is of.
[[nodiscard]] bool chosenOnTest(const ComparedGroup& group);
// "†" of a difference from the baseline that is more than the seeds' scatter, else "".
[[nodiscard]] std::string significanceMark(std::optional<double> p);

}  // namespace dasgd::experiments
