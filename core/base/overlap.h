// The two overlap numbers, from unions of intervals (never sums), per rank.
#pragma once

#include <span>
#include <vector>

#include "core/base/event.h"

namespace dasgd {

struct TimeRange {
    Ns start = 0;
    Ns end = 0;
};

struct OverlapSummary {
    Ns reduce = 0;   // |∪ reduce|
    Ns compute = 0;  // |∪ compute|
    Ns hidden = 0;   // |∪ reduce ∩ ∪ compute|
    Ns blocked = 0;  // |∪ wait|
    Ns idle = 0;     // of the selection: neither compute nor wait nor any other compute-lane span
    // hidden ÷ reduce; NaN where nothing was reduced.
    [[nodiscard]] double hiddenFraction() const;
};

// Of one rank's spans, clipped to `selection`. Spans in any order, overlapping or not, of zero or negative length.
[[nodiscard]] OverlapSummary summariseOverlap(std::span<const Span> spans, TimeRange selection);

// The same for a whole run in bounded memory: spans in the order a rank emits them (a reduce comes when it is waited
// for, so up to a period late). Used where no spans are kept.
class OverlapMeter {
public:
    OverlapMeter();
    ~OverlapMeter();
    void add(const Span& span);
    [[nodiscard]] OverlapSummary summary() const;

private:
    std::vector<TimeRange> compute_;  // disjoint, sorted; pruned once older than any open reduce can reach
    std::vector<TimeRange> reduce_;
    OverlapSummary done_;
};

}  // namespace dasgd
