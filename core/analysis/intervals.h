// Arithmetic of sets of instants, each as disjoint half-open intervals in ascending order. Pure.
#pragma once

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

}  // namespace dasgd
