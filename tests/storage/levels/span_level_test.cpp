#include "storage/levels/span_level.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <tuple>

namespace dasgd::storage {
namespace {

using LevelSums = std::map<std::tuple<int, Lane, SpanKind>, std::pair<std::int64_t, Ns>>;  // count and time

std::vector<RankSpan> randomSpans(unsigned seed, int count, int ranks) {
    std::mt19937_64 random(seed);
    std::vector<RankSpan> spans;
    for (int i = 0; i < count; ++i) {
        const Ns start = static_cast<Ns>(random() % 50'000'000) - 1'000;
        const auto kind = static_cast<SpanKind>(random() % kSpanKindNames.size());
        // Mostly short ones, some of no length, a few very long ones.
        const Ns length = random() % 40 == 0 ? static_cast<Ns>(random() % 30'000'000) : static_cast<Ns>(random() % 900);
        spans.push_back({static_cast<int>(random() % static_cast<unsigned>(ranks)),
                         {.lane = static_cast<Lane>(random() % 3),
                          .kind = kind,
                          .step = i,
                          .start = start,
                          .end = start + length,
                          .bytes = i % 7,
                          .collective = static_cast<std::uint64_t>(i % 5)}});
    }
    return spans;
}

LevelSums sumsOf(const std::vector<RankSpan>& spans) {
    LevelSums sums;
    for (const auto& [rank, span] : spans) {
        auto& [count, time] = sums[{rank, span.lane, span.kind}];
        ++count;
        time += span.end - span.start;
    }
    return sums;
}

LevelSums sumsOf(const SpanLevel& level) {
    LevelSums sums;
    std::size_t span = 0, cell = 0;
    for (const LevelLane& lane : level.lanes) {
        for (; span < lane.spansEnd; ++span) {
            auto& [count, time] = sums[{lane.rank, lane.lane, level.spans[span].kind}];
            ++count;
            time += level.spans[span].end - level.spans[span].start;
        }
        for (; cell < lane.cellsEnd; ++cell) {
            auto& [count, time] = sums[{lane.rank, lane.lane, level.cells[cell].kind}];
            count += level.cells[cell].count;
            time += level.cells[cell].covered;
        }
    }
    return sums;
}

SpanLevel levelOf(const std::vector<RankSpan>& spans, std::size_t entries) {
    LevelBuilder builder;
    for (const auto& [rank, span] : spans) builder.add(rank, span);
    return builder.build(entries);
}

TEST(SpanLevel, CountsAndTimesOfEachRankLaneAndKindAreThoseOfTheSpans) {
    for (const int ranks : {1, 2, 7, 40}) {
        const auto spans = randomSpans(static_cast<unsigned>(ranks), 8192, ranks);
        for (const std::size_t entries : {1UL, 100UL, 1024UL, 100'000UL}) {
            EXPECT_EQ(sumsOf(levelOf(spans, entries)), sumsOf(spans)) << ranks << " " << entries;
        }
    }
}

// Expected level: each short span by itself in the bucket that it starts in.
TEST(SpanLevel, ASpanIsInTheBucketThatItStartsInUnlessItIsAsLongAsABucket) {
    const auto spans = randomSpans(3, 5000, 3);
    const SpanLevel level = levelOf(spans, 600);
    std::map<std::tuple<int, Lane, SpanKind, Ns>, std::pair<std::int64_t, Ns>> expected, found;
    std::size_t kept = 0;
    for (const auto& [rank, span] : spans) {
        const Ns length = span.end - span.start;
        if (length >= level.width()) {
            ++kept;
            continue;
        }
        const Ns offset = span.start - level.origin;
        auto& [count, time] =
            expected[{rank, span.lane, span.kind, level.origin + offset / level.width() * level.width()}];
        ++count;
        time += length;
    }
    std::size_t cell = 0;
    for (const LevelLane& lane : level.lanes) {
        for (; cell < lane.cellsEnd; ++cell) {
            const LevelCell& one = level.cells[cell];
            auto& [count, time] = found[{lane.rank, lane.lane, one.kind, level.startOf(one)}];
            EXPECT_EQ(count, 0) << "one cell a kind and bucket";
            count += one.count;
            time += one.covered;
        }
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(level.spans.size(), kept);
}

TEST(SpanLevel, OfLevelsIsThatOfTheirSpans) {
    const auto spans = randomSpans(5, 20'000, 4);
    LevelBuilder both;
    for (std::size_t part = 0; part < 4; ++part) {
        const auto from = spans.begin() + static_cast<std::ptrdiff_t>(part * 5000);
        both.add(levelOf({from, from + 5000}, 900));
    }
    const SpanLevel merged = both.build(300);
    EXPECT_EQ(sumsOf(merged), sumsOf(spans));
}

TEST(SpanLevel, KeepsToItsSizeOrToOneBucketALane) {
    const auto spans = randomSpans(9, 8192, 4);
    LevelBuilder builder;
    for (const auto& [rank, span] : spans) builder.add(rank, span);
    static_cast<void>(builder.build(700));
    EXPECT_LE(builder.entries(), 700U);
}

TEST(SpanLevel, ExactKeepsEverySpanByLaneAndStart) {
    const auto spans = randomSpans(17, 3000, 5);
    LevelBuilder builder;
    for (const auto& [rank, span] : spans) builder.add(rank, span);
    const SpanLevel level = builder.exact();
    EXPECT_EQ(level.spans.size(), 3000U);
    EXPECT_TRUE(level.cells.empty());
    EXPECT_EQ(sumsOf(level), sumsOf(spans));
    std::size_t span = 0;
    for (const LevelLane& lane : level.lanes) {
        Ns before = INT64_MIN;
        for (; span < lane.spansEnd; ++span) {
            EXPECT_EQ(level.spans[span].lane, lane.lane);
            EXPECT_GE(level.spans[span].start, before);
            before = level.spans[span].start;
        }
    }
}

}  // namespace
}  // namespace dasgd::storage
