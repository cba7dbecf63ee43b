// Arithmetic of sets of instants, each as disjoint half-open intervals in ascending order. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/time_range.h"

namespace dasgd {

using Intervals = std::vector<TimeRange>;

// Union of ranges in any order, overlapping or not; ranges that touch become one, empty and inverted ones are dropped.
[[nodiscard]] Intervals unionOf(Intervals ranges);
[[nodiscard]] Intervals intersectionOf(const Intervals& a, const Intervals& b);
[[nodiscard]] Ns lengthOf(const Intervals& intervals);
// Length of the intersection, without building it.
[[nodiscard]] Ns lengthOfCommon(const Intervals& a, const Intervals& b);
// Length of the part of `range` that is covered.
[[nodiscard]] Ns coveredOf(TimeRange range, const Intervals& intervals);

// coveredOf() for one range after another: quick where they mostly ascend. The intervals outlive it.
class Coverage {
public:
    explicit Coverage(const Intervals& intervals) : intervals_(intervals) {}
    [[nodiscard]] Ns of(TimeRange range);

private:
    const Intervals& intervals_;
    std::size_t next_ = 0;  // all before it end by the start of the newest range
};

}  // namespace dasgd
