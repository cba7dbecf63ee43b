// How long each rank computed in each of its steps, from the spans that a run recorded. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/read/span_reader.h"

namespace dasgd::experiments {

struct ComputedStep {
    int rank = 0;
    std::int64_t step = 0;
    // From the step's beginning to the next one's, without waits, snapshots and merges: T_c as this step had it.
    double seconds = 0;
    double overlapped = 0;  // part of `seconds` during which a collective of this rank transferred
    double backward = 0;    // part of `seconds` in the backward pass
};

// Computing time of the steps, ordered by rank and step. Steps with an evaluation, a checkpoint or a profiled
// operator in them are left out, and so is the last step of each rank, which has no end. `spans` in any order.
[[nodiscard]] std::vector<ComputedStep> computedSteps(std::vector<storage::SpanRow> spans);

}  // namespace dasgd::experiments
