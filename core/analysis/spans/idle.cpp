#include "core/analysis/spans/idle.h"

#include <algorithm>

#include "core/analysis/spans/intervals.h"

namespace dasgd {

namespace {

Intervals without(const Intervals& from, const Intervals& taken) {
    Intervals left;
    for (const TimeRange& range : from) {
        Ns at = range.start;
        for (auto next = std::ranges::partition_point(taken, [&](TimeRange one) { return one.end <= range.start; });
             next != taken.end() && next->start < range.end; ++next) {
            if (next->start > at) left.push_back({at, next->start});
            at = std::max(at, next->end);
        }
        if (at < range.end) left.push_back({at, range.end});
    }
    return left;
}

// Length of the part of `idle` that `causes` cover; removes that part from `idle`.
Ns take(Intervals& idle, const Intervals& causes) {
    const Ns common = lengthOfCommon(idle, causes);
    if (common > 0) idle = without(idle, causes);
    return common;
}

}  // namespace

IdleBreakdown& IdleBreakdown::operator+=(const IdleBreakdown& more) {
    for (Ns IdleBreakdown::*part : {&IdleBreakdown::transfer, &IdleBreakdown::skew, &IdleBreakdown::messages,
                                    &IdleBreakdown::data, &IdleBreakdown::evaluation, &IdleBreakdown::unexplained}) {
        this->*part += more.*part;
    }
    return *this;
}

IdleBreakdown idleOf(std::span<const Span> spans, TimeRange selection) {
    if (selection.end <= selection.start) return {};
    Intervals busy, wait, message, skew, data, evaluation;
    for (const Span& span : spans) {
        const TimeRange clipped{std::max(span.start, selection.start), std::min(span.end, selection.end)};
        if (clipped.start >= clipped.end) continue;
        const bool inLane = span.lane == Lane::Compute || isCompute(span.kind);
        switch (span.kind) {
            case SpanKind::Wait: (span.collective != 0 ? wait : message).push_back(clipped); break;
            case SpanKind::Skew: skew.push_back(clipped); break;
            case SpanKind::Data: (inLane ? busy : data).push_back(clipped); break;
            case SpanKind::Eval:
            case SpanKind::Checkpoint: (inLane ? busy : evaluation).push_back(clipped); break;
            default:
                if (inLane) busy.push_back(clipped);
        }
    }
    busy = unionOf(std::move(busy));
    wait = without(unionOf(std::move(wait)), busy);
    message = without(without(unionOf(std::move(message)), busy), wait);
    Intervals idle = without(without(without({selection}, busy), wait), message);
    skew = unionOf(std::move(skew));
    IdleBreakdown parts;
    parts.skew = take(wait, skew) + take(message, skew);
    parts.transfer = lengthOf(wait);
    parts.messages = lengthOf(message);
    parts.evaluation = take(idle, unionOf(std::move(evaluation)));
    parts.data = take(idle, unionOf(std::move(data)));
    parts.unexplained = lengthOf(idle);
    return parts;
}

}  // namespace dasgd
