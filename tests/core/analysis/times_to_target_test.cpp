// Medians of times of which some are censored, against the package lifelines 0.30 and published data.
#include "core/analysis/times_to_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

using ::testing::Optional;

std::vector<WatchedTime> watch(const std::vector<double>& times, const std::vector<int>& reached) {
    std::vector<WatchedTime> all;
    for (std::size_t i = 0; i < times.size(); ++i) all.push_back({times[i], reached[i] != 0});
    return all;
}

// Weeks in remission with 6-mercaptopurine (Freireich et al. 1963): the usual example, 23 weeks, from 13 on.
TEST(TimesToTarget, HasTheMedianOfThePublishedExample) {
    const TimesToTarget times =
        timesToTarget(watch({6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35},
                            {1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(times.n, 21U);
    EXPECT_EQ(times.reached, 9U);
    EXPECT_THAT(times.median, Optional(23));
    EXPECT_THAT(times.low, Optional(13));
    EXPECT_EQ(times.high, std::nullopt);
}

TEST(TimesToTarget, OfFiveSeedsOfWhichTwoNeverCameIsLaterThanTheMeanOfTheOthers) {
    const TimesToTarget times = timesToTarget(watch({9, 1.5, 4, 2.5, 6}, {0, 1, 1, 1, 0}));
    EXPECT_THAT(times.median, Optional(4)) << "the three that came have a mean of 2.67";
    EXPECT_THAT(times.low, Optional(1.5));
    EXPECT_EQ(times.high, std::nullopt);
}

TEST(TimesToTarget, OfAllIsTheUsualMedian) {
    const TimesToTarget times = timesToTarget(watch({3, 1, 5, 2, 4}, {1, 1, 1, 1, 1}));
    EXPECT_THAT(times.median, Optional(3));
    EXPECT_THAT(times.low, Optional(1));
    EXPECT_EQ(times.high, std::nullopt) << "survfit of R has no upper end of five either";
}

// Numbers of which the product of shares is 0.5000000000000001.
TEST(TimesToTarget, OfAnEvenNumberIsTheMiddleOfTwo) {
    for (const int n : {2, 4, 24, 28, 30, 38}) {
        std::vector<WatchedTime> all;
        for (int i = 1; i <= n; ++i) all.push_back({static_cast<double>(i), true});
        EXPECT_EQ(timesToTarget(all).median, std::optional((n + 1) / 2.0)) << n;
    }
    EXPECT_EQ(timesToTarget(watch({1, 2, 3, 4}, {1, 1, 0, 0})).median, std::optional(2.0)) << "nobody came after it";
}

TEST(TimesToTarget, OneOrTwoRunsHaveNoInterval) {
    const TimesToTarget one = timesToTarget(watch({4}, {1}));
    EXPECT_THAT(one.median, Optional(4));
    EXPECT_EQ(one.low, std::nullopt);
    EXPECT_EQ(one.high, std::nullopt);
    EXPECT_EQ(timesToTarget(watch({4, 5}, {1, 1})).high, std::nullopt);
}

TEST(TimesToTarget, IsNotKnownWhereFewerThanHalfCame) {
    const TimesToTarget times = timesToTarget(watch({3, 4, 5, 5, 5}, {1, 1, 0, 0, 0}));
    EXPECT_EQ(times.reached, 2U);
    EXPECT_EQ(times.median, std::nullopt);
    EXPECT_THAT(times.low, Optional(3));
    EXPECT_EQ(times.high, std::nullopt);
}

TEST(TimesToTarget, CountsAtOneInstantThoseThatCameBeforeThoseThatWereWatchedNoLonger) {
    EXPECT_THAT(timesToTarget(watch({2, 2, 2, 2}, {1, 1, 0, 0})).median, Optional(2));
    EXPECT_EQ(timesToTarget(watch({1, 2}, {0, 1})).median, std::optional(2.0));
    EXPECT_EQ(timesToTarget({}).n, 0U);
}

}  // namespace
}  // namespace dasgd
