// The two overlap numbers, from unions of intervals (never sums), per rank.
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
    Ns reduce = 0;    // |∪ reduce|: of collectives that were not divided into skew and transfer
    Ns compute = 0;   // |∪ compute|
    Ns hidden = 0;    // |∪ transfer ∩ ∪ compute|
    Ns blocked = 0;   // |∪ wait|
    Ns idle = 0;      // of the selection: neither compute nor wait nor any other compute-lane span
    // hidden ÷ transfer; NaN where nothing was transferred.
    [[nodiscard]] double hiddenFraction() const;
};

// Of one rank's spans, clipped to `selection`. Spans in any order, overlapping or not, of zero or negative length.
[[nodiscard]] OverlapSummary summariseOverlap(std::span<const Span> spans, TimeRange selection);

// Disjoint intervals in order, the newest few thousand of them; what is older is forgotten and takes no more part.
class RecentIntervals {
public:
    // The parts of `range` that were not covered yet, now covered.
    std::vector<TimeRange> add(TimeRange range);
    // How much of `range` is covered.
    [[nodiscard]] Ns covered(TimeRange range) const;
    [[nodiscard]] std::size_t size() const { return ranges_.size(); }

private:
    std::vector<TimeRange> ranges_;
    Ns horizon_ = std::numeric_limits<Ns>::min();  // nothing before it is known any more
};

// The same for a whole run in bounded memory, of undivided reduces (`hidden` is of `reduce`): spans in the order a rank
// emits them (a reduce comes when it is waited for, so up to a period late). Used where no spans are kept. Exact as
// long as a span is no later than the last 4,096 intervals of its kind.
class OverlapMeter {
public:
    OverlapMeter();
    ~OverlapMeter();
    void add(const Span& span);
    // `idle` is of the time between the first start and the last end on the compute lane.
    [[nodiscard]] OverlapSummary summary() const;

private:
    RecentIntervals compute_, reduce_, wait_, busy_;
    OverlapSummary done_;
    Ns busyTime_ = 0;
    TimeRange extent_;
    bool any_ = false;
};

}  // namespace dasgd
