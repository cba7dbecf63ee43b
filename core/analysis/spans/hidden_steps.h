// The hidden share of the averages for each step. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/base/time_range.h"

namespace dasgd {

struct HiddenStep {
    std::int64_t step = 0;
    // mean over the ranks of |∪ transfer ∩ ∪ compute| ÷ |∪ transfer|, for transfers that end in the step
    double share = 0;
    int ranks = 0;  // number of ranks in the mean
    bool operator==(const HiddenStep&) const = default;
};

// Hidden shares of the transfers that end in `range`, by the step of the rank in which they ended: the last one that
// had begun there. A transfer that lies outside the windows of its rank, even in part, is left out, and so is one that
// no window has reached yet. The spans must reach back to the beginning of a transfer, or it is left out too.
[[nodiscard]] std::vector<HiddenStep> hiddenPerStep(std::span<const RankSpan> spans, TimeRange range);

}  // namespace dasgd
