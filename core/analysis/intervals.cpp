#include "core/analysis/intervals.h"

#include <algorithm>

namespace dasgd {

namespace {

// Calls take(range) for each range that both cover, in ascending order.
template <class Take>
void eachCommon(const Intervals& a, const Intervals& b, Take take) {
    for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
        const TimeRange common{std::max(left->start, right->start), std::min(left->end, right->end)};
        if (common.start < common.end) take(common);
        if (left->end < right->end) {
            ++left;
        } else {
            ++right;
        }
    }
}

bool startsEarlier(TimeRange a, TimeRange b) { return a.start < b.start; }

}  // namespace

Intervals unionOf(Intervals ranges) {
    if (!std::is_sorted(ranges.begin(), ranges.end(), startsEarlier)) {
        std::sort(ranges.begin(), ranges.end(), startsEarlier);
    }
    Intervals merged;
    for (const TimeRange& range : ranges) {
        if (range.start >= range.end) continue;
        if (!merged.empty() && range.start <= merged.back().end) {
            merged.back().end = std::max(merged.back().end, range.end);
        } else {
            merged.push_back(range);
        }
    }
    return merged;
}

Intervals intersectionOf(const Intervals& a, const Intervals& b) {
    Intervals common;
    eachCommon(a, b, [&](TimeRange range) { common.push_back(range); });
    return common;
}

Ns lengthOf(const Intervals& intervals) {
    Ns total = 0;
    for (const TimeRange& range : intervals) total += range.end - range.start;
    return total;
}

Ns lengthOfCommon(const Intervals& a, const Intervals& b) {
    Ns total = 0;
    eachCommon(a, b, [&](TimeRange range) { total += range.end - range.start; });
    return total;
}

Ns coveredOf(TimeRange range, const Intervals& intervals) {
    // Most steps lie before all collectives that are under way.
    if (intervals.empty() || range.end <= intervals.front().start) return 0;
    auto at = std::partition_point(intervals.begin(), intervals.end(),
                                   [&](TimeRange interval) { return interval.end <= range.start; });
    Ns total = 0;
    for (; at != intervals.end() && at->start < range.end; ++at) {
        total += std::min(at->end, range.end) - std::max(at->start, range.start);
    }
    return total;
}

}  // namespace dasgd
