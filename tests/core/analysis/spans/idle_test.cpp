#include "core/analysis/spans/idle.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/analysis/spans/overlap.h"

namespace dasgd {
namespace {

TEST(Idle, WaitsAreDividedIntoLateRanksAndTheAverage) {
    const std::vector<Span> spans{
        {.kind = SpanKind::Forward, .start = 0, .end = 40},
        {.lane = Lane::Comm, .kind = SpanKind::Skew, .start = 30, .end = 60},
        {.lane = Lane::Comm, .kind = SpanKind::Transfer, .start = 60, .end = 90},
        {.kind = SpanKind::Wait, .start = 45, .end = 90, .collective = 7},
    };
    const IdleBreakdown idle = idleOf(spans, {0, 100});
    EXPECT_EQ(idle.skew, 15);
    EXPECT_EQ(idle.transfer, 30);
    EXPECT_EQ(idle.unexplained, 15) << "between forward and wait, and after it";
    EXPECT_EQ(idle.all(), 60);
}

// A message of a pipeline has no number; waits for either may follow one another, or overlap.
TEST(Idle, WaitsForMessagesAreNoWaitsForAnAverage) {
    const std::vector<Span> spans{
        {.kind = SpanKind::Wait, .start = 0, .end = 20},
        {.kind = SpanKind::Backward, .start = 20, .end = 50},
        {.kind = SpanKind::Wait, .start = 50, .end = 80, .collective = 3},
        {.kind = SpanKind::Wait, .start = 70, .end = 90},
    };
    const IdleBreakdown idle = idleOf(spans, {0, 100});
    EXPECT_EQ(idle.messages, 20 + 10);
    EXPECT_EQ(idle.transfer, 30);
    EXPECT_EQ(idle.unexplained, 10);
    EXPECT_EQ(idle.all(), 70);
}

TEST(Idle, WhatOverlapsCountsOnce) {
    const std::vector<Span> spans{
        {.kind = SpanKind::Wait, .start = 0, .end = 50},
        {.kind = SpanKind::Wait, .start = 20, .end = 60},
        {.kind = SpanKind::Update, .start = 50, .end = 70},
        {.lane = Lane::Io, .kind = SpanKind::Data, .start = 60, .end = 90},
        {.lane = Lane::Io, .kind = SpanKind::Data, .start = 80, .end = 85},
        {.lane = Lane::Io, .kind = SpanKind::Eval, .start = 85, .end = 95},
    };
    const IdleBreakdown idle = idleOf(spans, {0, 100});
    EXPECT_EQ(idle.messages, 50) << "computing covers the end of the wait";
    EXPECT_EQ(idle.evaluation, 10);
    EXPECT_EQ(idle.data, 15) << "from the update's end to the evaluation";
    EXPECT_EQ(idle.unexplained, 5);
}

TEST(Idle, AddsUpToIdleAndWaitOfTheSummary) {
    std::vector<Span> spans;
    const std::vector<SpanKind> kinds{SpanKind::Forward, SpanKind::Wait,     SpanKind::Skew,
                                      SpanKind::Data,    SpanKind::Backward, SpanKind::Checkpoint};
    Ns at = 0;
    for (int i = 0; i < 200; ++i) {
        const SpanKind kind = kinds[static_cast<std::size_t>(i * 7 % 6)];
        const Lane lane = kind == SpanKind::Skew            ? Lane::Comm
                          : kind == SpanKind::Data && i % 2 ? Lane::Io
                                                            : Lane::Compute;
        spans.push_back({.lane = lane, .kind = kind, .start = at, .end = at + 3 + i % 11});
        at += kind == SpanKind::Skew ? 1 : 3 + i % 13;
    }
    for (const TimeRange selection : {TimeRange{0, at}, TimeRange{100, 500}, TimeRange{333, 334}}) {
        const OverlapSummary sum = summariseOverlap(spans, selection);
        std::vector<Span> noWait = spans;
        std::erase_if(noWait, [](const Span& span) { return span.kind == SpanKind::Wait; });
        EXPECT_EQ(idleOf(spans, selection).all(), summariseOverlap(noWait, selection).idle);
        EXPECT_GE(idleOf(spans, selection).all(), sum.idle);
    }
}

TEST(Idle, WithoutASpanNothingIsExplained) {
    EXPECT_EQ(idleOf({}, {10, 30}), (IdleBreakdown{.unexplained = 20}));
    EXPECT_EQ(idleOf({}, {30, 10}), IdleBreakdown{});
}

}  // namespace
}  // namespace dasgd
