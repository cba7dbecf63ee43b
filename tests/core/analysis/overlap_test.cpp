#include "core/analysis/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace dasgd {
namespace {

constexpr TimeRange kAll{-1'000'000'000, 1'000'000'000};

Span span(SpanKind kind, Ns start, Ns end) {
    return {.lane = kind == SpanKind::Transfer ? Lane::Comm : Lane::Compute, .kind = kind, .start = start, .end = end};
}
Span compute(Ns start, Ns end) { return span(SpanKind::Forward, start, end); }
Span transfer(Ns start, Ns end) { return span(SpanKind::Transfer, start, end); }

OverlapSummary meter(const std::vector<Span>& spans) {
    OverlapMeter meter;
    for (const Span& span : spans) meter.add(span);
    return meter.summary();
}

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
    expectEqual(meter(spans), both);
}

TEST(OverlapTest, SkewAndWhatIsNotDividedAreToldApartFromTheTransfer) {
    const std::vector<Span> spans{compute(0, 100), span(SpanKind::Skew, 0, 60), transfer(60, 120),
                                  span(SpanKind::Reduce, 110, 140)};
    const OverlapSummary all = summariseOverlap(spans, kAll);
    EXPECT_EQ(all.skew, 60);
    EXPECT_EQ(all.transfer, 60);
    EXPECT_EQ(all.reduce, 30);
    EXPECT_DOUBLE_EQ(all.hiddenFraction(), 40.0 / 60);
}

TEST(OverlapTest, WaitsAreNoCompute) {
    const std::vector<Span> spans{compute(0, 10), transfer(0, 30), span(SpanKind::Wait, 10, 30),
                                  span(SpanKind::Data, 30, 35)};
    const OverlapSummary all = summariseOverlap(spans, {0, 40});
    EXPECT_EQ(all.hidden, 10);
    EXPECT_EQ(all.blocked, 20);
    EXPECT_EQ(all.idle, 5);
    expectEqual(meter(spans), all);
    EXPECT_EQ(meter(spans).idle, 0);
}

TEST(OverlapTest, ZeroAndNegativeLengthsCountNothing) {
    const std::vector<Span> spans{compute(0, 0), compute(50, 40), transfer(0, 100), transfer(70, 60), compute(90, 100)};
    const OverlapSummary all = summariseOverlap(spans, kAll);
    EXPECT_EQ(all.compute, 10);
    EXPECT_EQ(all.transfer, 100);
    EXPECT_EQ(all.hidden, 10);
    expectEqual(meter(spans), all);
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
            spans.push_back(span(kinds[random() % 5], start, start + static_cast<Ns>(random() % 40) - 3));
        }
        const OverlapSummary slow = byInstants(spans, {0, 250});
        const OverlapSummary fast = summariseOverlap(spans, {0, 250});
        expectEqual(fast, slow);
        EXPECT_EQ(fast.idle, slow.idle);
        expectEqual(meter(spans), slow);
        std::shuffle(spans.begin(), spans.end(), random);
        expectEqual(meter(spans), slow);
    }
}

// A long run of DaSGD: the meter keeps little and is exact; each reduce comes three steps late.
TEST(OverlapTest, TheMeterIsExactOverALongRun) {
    std::vector<Span> spans;
    for (Ns step = 0; step < 50'000; ++step) {
        const Ns begin = step * 1000;
        spans.push_back(compute(begin, begin + 400));
        spans.push_back(span(SpanKind::Backward, begin + 401, begin + 900));
        if (step % 4 == 3) spans.push_back(transfer(begin - 3000 + 950, begin + (step % 3 == 0 ? 950 : -500)));
        if (step % 4 == 3) spans.push_back(span(SpanKind::Wait, begin + 900, begin + 950));
    }
    const OverlapSummary whole = summariseOverlap(spans, {0, 50'000 * 1000});
    ASSERT_GT(whole.hidden, 0);
    expectEqual(meter(spans), whole);
}

TEST(OverlapTest, RecentIntervalsStaySmall) {
    RecentIntervals recent;
    for (Ns i = 0; i < 100'000; ++i) {
        ASSERT_EQ(recent.add({i * 10, i * 10 + 5}).size(), 1U);
        ASSERT_LE(recent.size(), 8192U);
    }
    EXPECT_EQ(recent.covered({99'990 * 10, 100'000 * 10}), 50);
    EXPECT_TRUE(recent.add({0, 5}).empty()) << "forgotten time must not count twice";
}

TEST(OverlapTest, RecentIntervalsAnswerWhatIsNew) {
    RecentIntervals recent;
    recent.add({10, 20});
    recent.add({30, 40});
    const auto fresh = recent.add({5, 35});
    ASSERT_EQ(fresh.size(), 2U);
    EXPECT_EQ(fresh[0].start, 5);
    EXPECT_EQ(fresh[0].end, 10);
    EXPECT_EQ(fresh[1].start, 20);
    EXPECT_EQ(fresh[1].end, 30);
    EXPECT_EQ(recent.size(), 1U);
    EXPECT_EQ(recent.covered({0, 100}), 35);
    EXPECT_TRUE(recent.add({10, 15}).empty());
}

}  // namespace
}  // namespace dasgd
