#include "core/analysis/spans/overlap.h"

#include <algorithm>

#include "core/analysis/spans/intervals.h"

namespace dasgd {

namespace {

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

}  // namespace dasgd
