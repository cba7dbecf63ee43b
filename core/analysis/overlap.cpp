#include "core/analysis/overlap.h"

#include <algorithm>

#include "core/analysis/intervals.h"

namespace dasgd {

namespace {

constexpr std::size_t kKept = 4096;

bool occupiesComputeLane(const Span& span) { return span.lane == Lane::Compute || isCompute(span.kind); }

}  // namespace

double OverlapSummary::hiddenFraction() const {
    if (transfer <= 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(hidden) / static_cast<double>(transfer);
}

OverlapSummary summariseOverlap(std::span<const Span> spans, TimeRange selection) {
    Intervals compute, transfer, skew, reduce, wait, busy;
    for (const Span& span : spans) {
        const TimeRange clipped{std::max(span.start, selection.start), std::min(span.end, selection.end)};
        if (clipped.start >= clipped.end) continue;
        if (isCompute(span.kind)) compute.push_back(clipped);
        if (span.kind == SpanKind::Transfer) transfer.push_back(clipped);
        if (span.kind == SpanKind::Skew) skew.push_back(clipped);
        if (span.kind == SpanKind::Reduce) reduce.push_back(clipped);
        if (span.kind == SpanKind::Wait) wait.push_back(clipped);
        if (occupiesComputeLane(span) || span.kind == SpanKind::Wait) busy.push_back(clipped);
    }
    compute = unionOf(std::move(compute));
    transfer = unionOf(std::move(transfer));
    return {.transfer = lengthOf(transfer),
            .skew = lengthOf(unionOf(std::move(skew))),
            .reduce = lengthOf(unionOf(std::move(reduce))),
            .compute = lengthOf(compute),
            .hidden = lengthOfCommon(transfer, compute),
            .blocked = lengthOf(unionOf(std::move(wait))),
            .idle = std::max<Ns>(0, selection.end - selection.start) - lengthOf(unionOf(std::move(busy)))};
}

std::vector<TimeRange> RecentIntervals::add(TimeRange range) {
    range.start = std::max(range.start, horizon_);
    Intervals fresh;
    if (range.start >= range.end) return fresh;
    // Intervals arrive nearly in order, so the place is near the end; those from `first` on touch `range`.
    auto first = ranges_.end();
    while (first != ranges_.begin() && std::prev(first)->end >= range.start) --first;
    auto last = first;
    Ns from = range.start;
    TimeRange merged = range;
    for (; last != ranges_.end() && last->start <= range.end; ++last) {
        if (from < last->start) fresh.push_back({from, last->start});
        from = std::max(from, last->end);
        merged = {std::min(merged.start, last->start), std::max(merged.end, last->end)};
    }
    if (from < range.end) fresh.push_back({from, range.end});
    ranges_.insert(ranges_.erase(first, last), merged);
    if (ranges_.size() > 2 * kKept) {
        horizon_ = ranges_[ranges_.size() - kKept - 1].end;
        ranges_.erase(ranges_.begin(), ranges_.end() - kKept);
    }
    return fresh;
}

Ns RecentIntervals::covered(TimeRange range) const {
    Ns total = 0;
    for (auto it = ranges_.rbegin(); it != ranges_.rend() && it->end > range.start; ++it) {
        total += std::max<Ns>(0, std::min(it->end, range.end) - std::max(it->start, range.start));
    }
    return total;
}

OverlapMeter::OverlapMeter() = default;
OverlapMeter::~OverlapMeter() = default;

void OverlapMeter::add(const Span& span) {
    const TimeRange range{span.start, span.end};
    if (range.start >= range.end) return;
    // Each instant is hidden from when both unions cover it: count it when the second one comes to cover it.
    if (isCompute(span.kind)) {
        const Intervals fresh = compute_.add(range);
        done_.compute += lengthOf(fresh);
        for (const TimeRange& part : fresh) done_.hidden += reduce_.covered(part);
    }
    if (span.kind == SpanKind::Reduce || span.kind == SpanKind::Transfer) {
        const Intervals fresh = reduce_.add(range);
        done_.reduce += lengthOf(fresh);
        for (const TimeRange& part : fresh) done_.hidden += compute_.covered(part);
    }
    if (span.kind == SpanKind::Wait) done_.blocked += lengthOf(wait_.add(range));
    if (occupiesComputeLane(span) || span.kind == SpanKind::Wait) {
        busyTime_ += lengthOf(busy_.add(range));
        extent_ = any_ ? TimeRange{std::min(extent_.start, range.start), std::max(extent_.end, range.end)} : range;
        any_ = true;
    }
}

OverlapSummary OverlapMeter::summary() const {
    OverlapSummary all = done_;
    all.transfer = all.reduce;
    all.idle = extent_.end - extent_.start - busyTime_;
    return all;
}

}  // namespace dasgd
