#include "gui/data/curves/span_windows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

RankSpan spanOf(int rank, Lane lane, SpanKind kind, std::int64_t step, Ns start, Ns end) {
    return {rank, {.lane = lane, .kind = kind, .step = step, .start = start, .end = end, .collective = 1}};
}

// Steps of 10 ms: 6 ms of computing, 4 ms of waiting; a transfer of 8 ms that begins with the step, after 1 ms of skew.
std::vector<RankSpan> regularSteps(int rank, std::int64_t steps) {
    std::vector<RankSpan> spans;
    for (std::int64_t step = 1; step <= steps; ++step) {
        const Ns at = (step - 1) * 10 * kMs;
        spans.push_back(spanOf(rank, Lane::Compute, SpanKind::Forward, step, at, at + 6 * kMs));
        spans.push_back(spanOf(rank, Lane::Comm, SpanKind::Skew, step, at, at + kMs));
        spans.push_back(spanOf(rank, Lane::Comm, SpanKind::Transfer, step, at + kMs, at + 9 * kMs));
        spans.push_back(spanOf(rank, Lane::Compute, SpanKind::Wait, step, at + 6 * kMs, at + 10 * kMs));
    }
    return spans;
}

std::vector<RankSpan> twoRanks(std::int64_t steps) {
    std::vector<RankSpan> spans = regularSteps(0, steps);
    for (const RankSpan& one : regularSteps(1, steps)) spans.push_back(one);
    return spans;
}

void addInSlices(SpanWindows& windows, const std::vector<RankSpan>& spans, Ns end, Ns slice) {
    while (windows.next() < end) {
        const TimeRange part{windows.next(), std::min(end, windows.next() + slice)};
        std::vector<RankSpan> touching;
        for (const RankSpan& one : spans) {
            if (one.span.end >= part.start && one.span.start < part.end) touching.push_back(one);
        }
        windows.add(touching, part);
    }
}

double valueAt(const std::vector<storage::MetricSample>& curve, int rank, std::size_t point) {
    std::size_t seen = 0;
    for (const storage::MetricSample& sample : curve) {
        if (sample.rank == rank && seen++ == point) return sample.value;
    }
    ADD_FAILURE() << "no point " << point << " of rank " << rank;
    return -1;
}

std::size_t pointsOf(const std::vector<storage::MetricSample>& curve, int rank) {
    return static_cast<std::size_t>(std::ranges::count(curve, rank, &storage::MetricSample::rank));
}

TEST(SpanWindows, EachRankHasItsNumbersAndAllOfThemTheirs) {
    const Ns end = 4000 * kMs;
    for (const Ns slice : {end, 170 * kMs, 3 * kMs}) {
        SpanWindows windows({0, end});
        addInSlices(windows, twoRanks(400), end, slice);
        const auto hidden = windows.curve(kSpansHidden, 32, true);
        ASSERT_GE(pointsOf(hidden, 0), 20U) << "of 400 steps some forty points";
        EXPECT_EQ(pointsOf(hidden, 0), pointsOf(hidden, -1));
        EXPECT_NEAR(valueAt(hidden, 0, 3), 5.0 / 8, 0.03);
        EXPECT_NEAR(valueAt(hidden, -1, 3), 5.0 / 8, 0.03);
        EXPECT_NEAR(valueAt(windows.curve(kSpansBlocked, 32, true), 1, 3), 0.4, 0.02);
        EXPECT_NEAR(valueAt(windows.curve(kSpansSkewMs, 32, true), 1, 3), 1, 0.1);
        EXPECT_NEAR(valueAt(windows.curve(kSpansThroughput, 32, true), 0, 3), 3200, 160);
        EXPECT_NEAR(valueAt(windows.curve(kSpansThroughput, 32, true), -1, 3), 6400, 320) << "the sum";
        EXPECT_EQ(hidden.back().step, 400);
        EXPECT_DOUBLE_EQ(hidden.back().wallS, 4);
    }
}

// The points are the same however the run was read: at once, or while it grew from far too narrow windows.
TEST(SpanWindows, AGrowingRunKeepsItsSumsInFewerPoints) {
    SpanWindows grown({0, 50 * kMs});
    const std::vector<RankSpan> spans = twoRanks(3000);
    addInSlices(grown, spans, 30'000 * kMs, 90 * kMs);
    const auto throughput = grown.curve(kSpansThroughput, 32, true);
    EXPECT_LE(pointsOf(throughput, 0), SpanWindows::kMost);
    EXPECT_GE(pointsOf(throughput, 0), SpanWindows::kMost / 8);
    double steps = 0, from = 0;
    for (const storage::MetricSample& sample : throughput) {
        if (sample.rank != 0) continue;
        steps += sample.value / 32 * (sample.wallS - from);
        from = sample.wallS;
    }
    EXPECT_NEAR(steps, 3000, 15) << "each step is counted once";
}

// Transfers under way during an evaluation arrived for free: they must not look hidden, nor the time after them free of
// waits.
TEST(SpanWindows, EvaluationsAndWhatTheyDisturbedAreLeftOut) {
    std::vector<RankSpan> spans;
    for (RankSpan one : regularSteps(0, 400)) {
        const Ns later = one.span.step > 200 ? 1000 * kMs : 0;
        one.span.start += later;
        one.span.end += later;
        if (one.span.step == 201 && one.span.kind == SpanKind::Forward)
            spans.push_back(spanOf(0, Lane::Compute, SpanKind::Eval, 200, 2000 * kMs, 3000 * kMs));
        spans.push_back(one);
    }
    const Ns end = 5000 * kMs;
    SpanWindows windows({0, end});
    addInSlices(windows, spans, end, 370 * kMs);
    const auto throughput = windows.curve(kSpansThroughput, 1, true);
    for (const storage::MetricSample& sample : throughput) {
        EXPECT_FALSE(sample.wallS > 2.2 && sample.wallS < 2.9) << "a gap, at " << sample.wallS;
        EXPECT_NEAR(sample.value, 100, 15) << "at " << sample.wallS;
    }
}

TEST(SpanWindows, OfARunThatGoesOnTheLastPointWaitsUntilItIsWhole) {
    SpanWindows windows({0, 4000 * kMs});
    addInSlices(windows, twoRanks(400), 2010 * kMs, 500 * kMs);
    const auto hidden = windows.curve(kSpansHidden, 32, false);
    ASSERT_FALSE(hidden.empty());
    EXPECT_LE(hidden.back().wallS, 2.01);
    EXPECT_GT(hidden.back().wallS, 1.7);
}

// Points are of equal time whatever the length of the run: a last point of half the time would look like a change of
// speed.
TEST(SpanWindows, PointsOfAWholeRunAreOfEqualTime) {
    for (const std::int64_t steps : {35, 70, 150, 391, 2590, 3900}) {
        const Ns end = steps * 10 * kMs;
        SpanWindows windows({0, end});
        addInSlices(windows, twoRanks(steps), end, 90 * kMs);
        double from = 0, least = 1e9, most = 0;
        const auto curve = windows.curve(kSpansBlocked, 32, true);
        for (const storage::MetricSample& sample : curve) {
            if (sample.rank != 0) continue;
            least = std::min(least, sample.wallS - from);
            most = std::max(most, sample.wallS - from);
            from = sample.wallS;
        }
        const double window = static_cast<double>(end) / 1e9 / 256;
        EXPECT_LE(most - least, 1.01 * window) << steps << " steps";
        EXPECT_GT(from, static_cast<double>(end) / 1e9 - 1.01 * window) << "nothing is left over, of " << steps;
    }
}

TEST(SpanWindows, WithoutTransfersOrABatchThereIsNothingToDivide) {
    SpanWindows windows({0, 100 * kMs});
    EXPECT_TRUE(windows.curve(kSpansHidden, 32, true).empty());
    windows.add(std::vector<RankSpan>{spanOf(0, Lane::Compute, SpanKind::Forward, 1, 0, 90 * kMs)}, {0, 100 * kMs});
    EXPECT_TRUE(windows.curve(kSpansHidden, 32, true).empty());
    EXPECT_TRUE(windows.curve(kSpansThroughput, 0, true).empty());
    EXPECT_FALSE(windows.curve(kSpansBlocked, 0, true).empty());
    EXPECT_TRUE(isFromSpans(kSpansHidden));
    EXPECT_FALSE(isFromSpans("train/loss"));
}

}  // namespace
}  // namespace dasgd::gui
