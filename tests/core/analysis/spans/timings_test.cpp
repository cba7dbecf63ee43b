#include "core/analysis/spans/timings.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dasgd {
namespace {

Span reduce(Ns start, Ns end) {
    return {.lane = Lane::Comm,
            .kind = SpanKind::Reduce,
            .step = 4,
            .start = start,
            .end = end,
            .bytes = 64,
            .collective = 9};
}

TEST(DivideReduce, SplitsAtTheLastArrival) {
    const auto [skew, transfer] = divideReduce(reduce(100, 200), 130);
    ASSERT_TRUE(skew);
    EXPECT_EQ(skew->kind, SpanKind::Skew);
    EXPECT_EQ(skew->start, 100);
    EXPECT_EQ(skew->end, 130);
    EXPECT_EQ(transfer.kind, SpanKind::Transfer);
    EXPECT_EQ(transfer.start, 130);
    EXPECT_EQ(transfer.end, 200);
    for (const Span& part : {*skew, transfer}) {
        EXPECT_EQ(part.lane, Lane::Comm);
        EXPECT_EQ(part.step, 4);
        EXPECT_EQ(part.bytes, 64);
        EXPECT_EQ(part.collective, 9U);
    }
}

TEST(DivideReduce, TheLastRankHasNoSkew) {
    EXPECT_FALSE(divideReduce(reduce(100, 200), 100).skew);
    EXPECT_EQ(divideReduce(reduce(100, 200), 100).transfer.start, 100);
}

// Clocks of hosts differ by up to their bound.
TEST(DivideReduce, NoPartHasANegativeLength) {
    const auto after = divideReduce(reduce(100, 200), 260);
    EXPECT_EQ(after.skew->end, 200);
    EXPECT_EQ(after.transfer.start, 200);
    EXPECT_EQ(after.transfer.end, 200);
    const auto before = divideReduce(reduce(100, 200), 40);
    EXPECT_FALSE(before.skew);
    EXPECT_EQ(before.transfer.start, 100);
    const auto inverted = divideReduce(reduce(100, 90), 95);
    EXPECT_FALSE(inverted.skew);
    EXPECT_EQ(inverted.transfer.end, 100);
}

TEST(RateOf, RanksApartCountByTheirMeanRate) {
    // 100 steps a second and 50: 75 on the mean, whichever rank is asked.
    const std::vector<RankRate> apart{{.steps = 300, .seconds = 3}, {.steps = 150, .seconds = 3}};
    const auto rate = rateOf(apart, 32);
    EXPECT_DOUBLE_EQ(rate->stepSeconds, 1.0 / 75);
    EXPECT_DOUBLE_EQ(rate->samplesPerS, 32 * 150);
    const std::vector<RankRate> swapped{apart[1], apart[0]};
    EXPECT_DOUBLE_EQ(rateOf(swapped, 32)->stepSeconds, 1.0 / 75);
}

TEST(RateOf, IsNotKnownOfSomeRanksOnly) {
    EXPECT_FALSE(rateOf({}, 32));
    const std::vector<RankRate> one{{.steps = 300, .seconds = 3}, {.steps = 0, .seconds = 0}};
    EXPECT_FALSE(rateOf(one, 32));
}

Span forward(std::int64_t step, Ns start, Ns length) {
    return {.kind = SpanKind::Forward, .step = step, .start = start, .end = start + length};
}

TEST(StragglerOf, ComputesLongest) {
    std::vector<RankSpan> spans;
    EXPECT_FALSE(stragglerOf(spans));
    for (int rank = 0; rank < 5; ++rank) {
        for (std::int64_t step = 0; step < 6; ++step) {
            spans.push_back({rank, forward(step, step * 1000, rank == 3 ? 150 : 100)});
            // Ranks that wait for the slow one are not slow.
            spans.push_back({rank, {.kind = SpanKind::Wait, .step = step, .start = 0, .end = 900}});
        }
        if (rank == 0) {
            EXPECT_FALSE(stragglerOf(spans)) << "of one rank";
        }
    }
    const auto slowest = stragglerOf(spans);
    EXPECT_EQ(slowest->rank, 3);
    EXPECT_DOUBLE_EQ(slowest->excess, 0.5);
}

// Ranks that make unequal numbers of steps: the slow one has made a third of the other's when the run ends.
TEST(StragglerOf, IsFoundAmongRanksThatMakeUnequalSteps) {
    std::vector<RankSpan> spans;
    for (std::int64_t step = 1; step <= 90; ++step) {
        spans.push_back({0, forward(step, step * 100, 100 + step % 3)});
        if (step <= 30) spans.push_back({1, forward(step, step * 300, 300 + step % 3)});
    }
    const auto slowest = stragglerOf(spans);
    ASSERT_TRUE(slowest);
    EXPECT_EQ(slowest->rank, 1);
    // The median of two is between them: 301 ÷ 201 − 1.
    EXPECT_NEAR(slowest->excess, 0.4975, 1e-3);
}

// A straggler is named from several steps that every rank has stored: steps of one rank alone and a single slow
// measurement name nobody.
TEST(StragglerOf, TakesSeveralWholeSteps) {
    std::vector<RankSpan> spans;
    for (std::int64_t step = 0; step < 6; ++step) {
        for (int rank = 0; rank < 2; ++rank) spans.push_back({rank, forward(step, step * 1000, rank == 1 ? 150 : 100)});
        EXPECT_EQ(stragglerOf(spans).has_value(), step == 5) << step;
    }
    std::vector<RankSpan> even;
    for (std::int64_t step = 0; step < 8; ++step) {
        for (int rank = 0; rank < 2; ++rank) even.push_back({rank, forward(step, step * 1000, 100)});
    }
    even.push_back({0, forward(8, 8000, 400)});
    even.push_back({1, forward(8, 8000, 100)});
    EXPECT_FALSE(stragglerOf(even));
}

// Two ranks of the same speed on a machine that is slow for a while, now on this core, now on that.
TEST(StragglerOf, IsNobodyWhereTheDifferenceIsNoise) {
    std::mt19937 random(7);
    std::uniform_int_distribution<Ns> jitter(-3000, 3000);
    std::vector<RankSpan> spans, slow;
    for (std::int64_t step = 0; step < 800; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            const bool disturbed = step >= 600 ? rank == 1 : (step / 100) % 2 == rank;
            const Ns time = 100'000 + jitter(random) + (disturbed ? 20'000 : 0);
            spans.push_back({rank, forward(step, step * 1'000'000, time)});
            slow.push_back({rank, forward(step, step * 1'000'000, 100'000 + jitter(random) + (rank == 1 ? 3000 : 0))});
        }
    }
    EXPECT_FALSE(stragglerOf(spans)) << "2 % in the mean, by a few stretches";
    ASSERT_TRUE(stragglerOf(slow)) << "3 % always";
    EXPECT_EQ(stragglerOf(slow)->rank, 1);
    for (RankSpan& one : slow) one.span.end -= one.rank == 1 ? 2700 : 0;
    EXPECT_FALSE(stragglerOf(slow)) << "0.3 %, however sure";
}

}  // namespace
}  // namespace dasgd
