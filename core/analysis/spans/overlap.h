// The two overlap numbers of one rank, from unions of intervals (never sums).
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/base/event.h"
#include "core/base/time_range.h"

namespace dasgd {

struct OverlapSummary {
    Ns transfer = 0;  // |∪ transfer|
    Ns skew = 0;      // |∪ skew|
    Ns reduce = 0;    // |∪ reduce|: collectives that were not divided into skew and transfer
    Ns compute = 0;   // |∪ compute|
    Ns hidden = 0;    // |∪ transfer ∩ ∪ compute|
    Ns blocked = 0;   // |∪ wait|
    Ns idle = 0;      // part of the selection that is neither compute nor wait nor any other compute-lane span
    // hidden ÷ transfer; NaN where nothing was transferred.
    [[nodiscard]] double hiddenFraction() const;
};

// Summary of one rank's spans, clipped to `selection`. Spans in any order, overlapping or not, of zero or negative
// length.
[[nodiscard]] OverlapSummary summariseOverlap(std::span<const Span> spans, TimeRange selection);

}  // namespace dasgd
