#include "core/analysis/spans/intervals.h"

#include <gtest/gtest.h>

#include <random>

namespace dasgd {
namespace {

bool has(const Intervals& intervals, Ns t) {
    for (const TimeRange& range : intervals) {
        if (t >= range.start && t < range.end) return true;
    }
    return false;
}

void expectEqual(const Intervals& a, const Intervals& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].start, b[i].start);
        EXPECT_EQ(a[i].end, b[i].end);
    }
}

TEST(IntervalsTest, UnionJoinsWhatTouchesAndDropsWhatIsEmpty) {
    expectEqual(unionOf({{5, 9}, {0, 3}, {3, 4}, {8, 12}, {20, 20}, {30, 25}}), {{0, 4}, {5, 12}});
    expectEqual(unionOf({}), {});
}

// The expected values are counted the slow way, instant by instant.
TEST(IntervalsTest, AgreeWithInstants) {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::uniform_int_distribution<Ns> start(0, 90), length(0, 12), count(0, 12);
        const auto some = [&] {
            Intervals ranges;
            for (Ns left = count(random); left > 0; --left) {
                const Ns from = start(random);
                ranges.push_back({from, from + length(random)});
            }
            return ranges;
        };
        const Intervals rawA = some(), rawB = some();
        const Intervals a = unionOf(rawA), b = unionOf(rawB);
        const Intervals common = intersectionOf(a, b);
        Ns lengthA = 0, lengthCommon = 0, within = 0;
        for (Ns t = 0; t < 110; ++t) {
            EXPECT_EQ(has(a, t), has(rawA, t));
            EXPECT_EQ(has(common, t), has(a, t) && has(b, t));
            lengthA += has(a, t);
            lengthCommon += has(common, t);
            within += has(a, t) && t >= 20 && t < 50;
        }
        EXPECT_EQ(lengthOf(a), lengthA);
        EXPECT_EQ(lengthOfCommon(a, b), lengthCommon);
        EXPECT_EQ(lengthOf(common), lengthCommon);
        EXPECT_EQ(coveredOf({20, 50}, a), within);
        // In any order, one after another.
        Coverage coverage(a);
        for (int i = 0; i < 20; ++i) {
            const Ns from = start(random), until = from + length(random);
            Ns covered = 0;
            for (Ns t = from; t < until; ++t) covered += has(a, t);
            EXPECT_EQ(coverage.of({from, until}), covered);
        }
    }
}

}  // namespace
}  // namespace dasgd
