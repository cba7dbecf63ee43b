#include "core/analysis/spans/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace dasgd {
namespace {

constexpr TimeRange kAll{-1'000'000'000, 1'000'000'000};

Span spanOf(SpanKind kind, Ns start, Ns end) {
    return {.lane = kind == SpanKind::Transfer ? Lane::Comm : Lane::Compute, .kind = kind, .start = start, .end = end};
}
Span compute(Ns start, Ns end) { return spanOf(SpanKind::Forward, start, end); }
Span transfer(Ns start, Ns end) { return spanOf(SpanKind::Transfer, start, end); }

// The slow way: instant by instant.
OverlapSummary byInstants(const std::vector<Span>& spans, TimeRange selection) {
    OverlapSummary all;
    for (Ns t = selection.start; t < selection.end; ++t) {
        bool computes = false, reduces = false, waits = false, busy = false;
        for (const Span& s : spans) {
            if (t < s.start || t >= s.end) continue;
            computes |= isCompute(s.kind);
            reduces |= s.kind == SpanKind::Transfer;
            waits |= s.kind == SpanKind::Wait;
            busy |= s.lane == Lane::Compute;
        }
        all.compute += computes;
        all.transfer += reduces;
        all.hidden += computes && reduces;
        all.blocked += waits;
        all.idle += !busy;
    }
    return all;
}

void expectEqual(const OverlapSummary& a, const OverlapSummary& b) {
    EXPECT_EQ(a.transfer, b.transfer);
    EXPECT_EQ(a.compute, b.compute);
    EXPECT_EQ(a.hidden, b.hidden);
    EXPECT_EQ(a.blocked, b.blocked);
}

TEST(OverlapTest, NothingGivesNothing) {
    const OverlapSummary none = summariseOverlap({}, {0, 100});
    EXPECT_EQ(none.transfer, 0);
    EXPECT_EQ(none.idle, 100);
    EXPECT_TRUE(std::isnan(none.hiddenFraction()));
}

TEST(OverlapTest, HalfHidden) {
    const std::vector<Span> spans{compute(0, 100), transfer(50, 150)};
    const OverlapSummary half = summariseOverlap(spans, {0, 200});
    EXPECT_EQ(half.hidden, 50);
    EXPECT_DOUBLE_EQ(half.hiddenFraction(), 0.5);
    EXPECT_EQ(half.idle, 100);
}

// Two reduces at once over one compute: sums would say 200 of 200 hidden, or even more than there was.
TEST(OverlapTest, UnionsNotSums) {
    const std::vector<Span> spans{compute(0, 100), compute(20, 80), transfer(0, 100), transfer(50, 150)};
    const OverlapSummary both = summariseOverlap(spans, kAll);
    EXPECT_EQ(both.compute, 100);
    EXPECT_EQ(both.transfer, 150);
    EXPECT_EQ(both.hidden, 100);
    EXPECT_DOUBLE_EQ(both.hiddenFraction(), 100.0 / 150.0);
}

TEST(OverlapTest, SkewAndWhatIsNotDividedAreToldApartFromTheTransfer) {
    const std::vector<Span> spans{compute(0, 100), spanOf(SpanKind::Skew, 0, 60), transfer(60, 120),
                                  spanOf(SpanKind::Reduce, 110, 140)};
    const OverlapSummary all = summariseOverlap(spans, kAll);
    EXPECT_EQ(all.skew, 60);
    EXPECT_EQ(all.transfer, 60);
    EXPECT_EQ(all.reduce, 30);
    EXPECT_DOUBLE_EQ(all.hiddenFraction(), 40.0 / 60);
}

TEST(OverlapTest, WaitsAreNoCompute) {
    const std::vector<Span> spans{compute(0, 10), transfer(0, 30), spanOf(SpanKind::Wait, 10, 30),
                                  spanOf(SpanKind::Data, 30, 35)};
    const OverlapSummary all = summariseOverlap(spans, {0, 40});
    EXPECT_EQ(all.hidden, 10);
    EXPECT_EQ(all.blocked, 20);
    EXPECT_EQ(all.idle, 5);
}

TEST(OverlapTest, ZeroAndNegativeLengthsCountNothing) {
    const std::vector<Span> spans{compute(0, 0), compute(50, 40), transfer(0, 100), transfer(70, 60), compute(90, 100)};
    const OverlapSummary all = summariseOverlap(spans, kAll);
    EXPECT_EQ(all.compute, 10);
    EXPECT_EQ(all.transfer, 100);
    EXPECT_EQ(all.hidden, 10);
}

TEST(OverlapTest, TheSelectionClips) {
    const std::vector<Span> spans{compute(0, 100), transfer(50, 150)};
    const OverlapSummary part = summariseOverlap(spans, {90, 120});
    EXPECT_EQ(part.compute, 10);
    EXPECT_EQ(part.transfer, 30);
    EXPECT_EQ(part.hidden, 10);
    EXPECT_EQ(summariseOverlap(spans, {300, 200}).idle, 0);
    EXPECT_EQ(summariseOverlap(spans, {300, 200}).transfer, 0);
}

TEST(OverlapTest, AnyTraceInAnyOrderIsAsInstantByInstant) {
    std::mt19937 random(11);
    constexpr SpanKind kinds[] = {SpanKind::Forward, SpanKind::Transfer, SpanKind::Wait, SpanKind::Merge,
                                  SpanKind::Data};
    for (int round = 0; round < 200; ++round) {
        std::vector<Span> spans;
        for (auto count = random() % 30; count > 0; --count) {
            const Ns start = static_cast<Ns>(random() % 200);
            spans.push_back(spanOf(kinds[random() % 5], start, start + static_cast<Ns>(random() % 40) - 3));
        }
        const OverlapSummary slow = byInstants(spans, {0, 250});
        const OverlapSummary fast = summariseOverlap(spans, {0, 250});
        expectEqual(fast, slow);
        EXPECT_EQ(fast.idle, slow.idle);
        std::shuffle(spans.begin(), spans.end(), random);
    }
}

}  // namespace
}  // namespace dasgd
