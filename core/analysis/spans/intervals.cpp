#include "core/analysis/spans/intervals.h"

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
    merged.reserve(ranges.size());
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

Ns Coverage::of(TimeRange range) {
    const auto isBefore = [&](TimeRange interval) { return interval.end <= range.start; };
    if (next_ > 0 && !isBefore(intervals_[next_ - 1])) next_ = 0;
    // Far ahead only after a gap: the next range is mostly in the same interval or the next.
    if (next_ + 1 < intervals_.size() && isBefore(intervals_[next_ + 1])) {
        const auto from = intervals_.begin() + static_cast<std::ptrdiff_t>(next_);
        next_ = static_cast<std::size_t>(std::partition_point(from, intervals_.end(), isBefore) - intervals_.begin());
    } else if (next_ < intervals_.size() && isBefore(intervals_[next_])) {
        ++next_;
    }
    Ns total = 0;
    for (std::size_t at = next_; at < intervals_.size() && intervals_[at].start < range.end; ++at) {
        total += std::min(intervals_[at].end, range.end) - std::max(intervals_[at].start, range.start);
    }
    return total;
}

Ns coveredOf(TimeRange range, const Intervals& intervals) { return Coverage(intervals).of(range); }

}  // namespace dasgd
