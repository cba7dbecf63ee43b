// Arithmetic of sets of instants, each as disjoint half-open intervals in ascending order. Pure.
#pragma once

#include <vector>

#include "core/base/time_range.h"

namespace dasgd {

using Intervals = std::vector<TimeRange>;

// Of ranges in any order, overlapping or not; ranges that touch become one, empty and inverted ones are dropped.
[[nodiscard]] Intervals unionOf(Intervals ranges);
[[nodiscard]] Intervals intersectionOf(const Intervals& a, const Intervals& b);
[[nodiscard]] Ns lengthOf(const Intervals& intervals);
// The length of what both cover, without making it.
[[nodiscard]] Ns lengthOfCommon(const Intervals& a, const Intervals& b);
// How much of `range` is covered.
[[nodiscard]] Ns coveredOf(TimeRange range, const Intervals& intervals);

}  // namespace dasgd
