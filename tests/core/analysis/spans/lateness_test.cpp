#include "core/analysis/spans/lateness.h"

#include <gtest/gtest.h>

#include "tests/support/units.h"

namespace dasgd {
namespace {

using test::kMs;

// `ranks` arrive at averages 100 ms apart, each `late(rank, average)` after the first.
template <class Late>
std::vector<RankSpan> averages(int ranks, int count, Late late) {
    std::vector<RankSpan> spans;
    for (int average = 1; average <= count; ++average) {
        Ns last = 0;
        for (int rank = 0; rank < ranks; ++rank) last = std::max<Ns>(last, late(rank, average));
        const auto collective = static_cast<std::uint64_t>(average);
        const Ns at = average * 100 * kMs;
        for (int rank = 0; rank < ranks; ++rank) {
            const Ns own = late(rank, average);
            if (own < last) {
                spans.push_back({rank,
                                 {.lane = Lane::Comm,
                                  .kind = SpanKind::Skew,
                                  .start = at + own,
                                  .end = at + last,
                                  .collective = collective}});
            }
            spans.push_back({rank,
                             {.lane = Lane::Comm,
                              .kind = SpanKind::Transfer,
                              .start = at + last,
                              .end = at + last + 10 * kMs,
                              .collective = collective}});
        }
    }
    return spans;
}

Ns scatter(int rank, int average) { return (rank * 37 + average * 53) % 11 * kMs / 10; }

TEST(Lateness, AStragglerIsBeyondNoiseAndTheOthersAreNot) {
    const auto spans =
        averages(4, 40, [](int rank, int average) { return scatter(rank, average) + (rank == 2 ? 30 * kMs : 0); });
    const auto lateness = latenessOf(spans, 4);
    ASSERT_TRUE(lateness);
    EXPECT_EQ(lateness->averages, 40);
    for (const RankLateness& rank : lateness->ranks) EXPECT_EQ(rank.isBeyondNoise(), rank.rank == 2) << rank.rank;
    EXPECT_NEAR(lateness->of(2)->lateNs, 30.0 * kMs, 1.0 * kMs);
    EXPECT_EQ(lateness->of(2)->last, 40);
    EXPECT_EQ(lateness->of(7), nullptr);
}

TEST(Lateness, WhatTheClocksDoNotTellIsNoStraggler) {
    const auto spans =
        averages(4, 40, [](int rank, int average) { return scatter(rank, average) + (rank == 2 ? 30 * kMs : 0); });
    EXPECT_TRUE(latenessOf(spans, 4, 10e6)->of(2)->isBeyondNoise());
    const auto unsure = latenessOf(spans, 4, 16e6);
    EXPECT_FALSE(unsure->of(2)->isBeyondNoise()) << "two clocks may be 32 ms apart";
    EXPECT_GT(unsure->noiseNs, 32e6);
    EXPECT_NEAR(unsure->of(2)->lateNs, 30.0 * kMs, 1.0 * kMs);
}

TEST(Lateness, ScatterAloneIsNoise) {
    const auto lateness = latenessOf(averages(8, 64, scatter), 8);
    ASSERT_TRUE(lateness);
    EXPECT_GT(lateness->noiseNs, 0);
    for (const RankLateness& rank : lateness->ranks) EXPECT_FALSE(rank.isBeyondNoise()) << rank.rank;
}

// With many ranks, chance puts one a hair beyond its noise: '+0.1 ms' beside '± 0.1 ms' must accuse nobody.
TEST(Lateness, WhatIsLateByLittleMoreThanNoiseIsNoStraggler) {
    const auto slow = [](double lateMs) {
        const auto late = [lateMs](int rank, int) {
            const double own = rank == 2 ? lateMs : rank == 3 ? 30 : 0;
            return static_cast<Ns>(own * static_cast<double>(kMs));
        };
        return latenessOf(averages(5, 40, late), 5);
    };
    EXPECT_FALSE(slow(0.09)->of(2)->isBeyondNoise()) << "of a noise of 0.05 ms";
    EXPECT_TRUE(slow(0.2)->of(2)->isBeyondNoise()) << "though it is never the last";
    EXPECT_EQ(slow(0.2)->of(2)->last, 0);
    RankLateness large{.lateNs = 12.4e6, .noiseNs = 12.2e6};
    EXPECT_FALSE(large.isBeyondNoise()) << "both are shown as 12 ms";
    large.lateNs = 13.6e6;
    EXPECT_TRUE(large.isBeyondNoise());
}

TEST(Lateness, AverageThatARankIsMissingOfDoesNotCount) {
    auto spans = averages(3, 20, scatter);
    std::erase_if(spans, [](const RankSpan& one) { return one.rank == 1 && one.span.collective == 5; });
    EXPECT_EQ(latenessOf(spans, 3)->averages, 19);
}

TEST(Lateness, OutsideTheWindowsNothingCounts) {
    auto spans = averages(2, 40, scatter);
    for (const int rank : {0, 1}) {
        spans.push_back({rank, {.lane = Lane::Io, .kind = SpanKind::Window, .start = 0, .end = 2'050 * kMs}});
    }
    EXPECT_EQ(latenessOf(spans, 2)->averages, 20);
}

TEST(Lateness, FewAveragesTellNothing) {
    EXPECT_FALSE(latenessOf(averages(4, 7, scatter), 4));
    EXPECT_FALSE(latenessOf(averages(1, 50, scatter), 1));
    EXPECT_FALSE(latenessOf({}, 4));
}

TEST(Lateness, RanksThatArriveTogetherAreNeverLast) {
    const auto lateness = latenessOf(averages(2, 10, [](int, int) { return Ns{0}; }), 2);
    ASSERT_TRUE(lateness);
    for (const RankLateness& rank : lateness->ranks) EXPECT_EQ(rank.last, 0);
}

}  // namespace
}  // namespace dasgd
