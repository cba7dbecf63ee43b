// The hidden share of the averages step by step. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/timings.h"
#include "core/base/time_range.h"

namespace dasgd {

struct HiddenStep {
    std::int64_t step = 0;
    double share = 0;  // mean over the ranks of |∪ transfer ∩ ∪ compute| ÷ |∪ transfer|, of what ended in the step
    int ranks = 0;  // that it is the mean of
    bool operator==(const HiddenStep&) const = default;
};

// Of the transfers that end in `range`, by step of the rank on which they ended: the last one that had begun there.
// What lies outside the windows of its rank even in part is left out, and so is what no window has reached yet. The
// spans reach back to the beginning of each such transfer, or it is left out too.
[[nodiscard]] std::vector<HiddenStep> hiddenPerStep(std::span<const RankSpan> spans, TimeRange range);

}  // namespace dasgd
