#include "core/graphs/graph.h"

#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(Graph, ItsMatrixHasARowARankWithTheWeightsThatItHears) {
    const double third = 1.0 / 3;
    EXPECT_EQ(rowsOf("line", 2), (Rows{{0.5, 0.5}, {0.5, 0.5}}));
    EXPECT_EQ(rowsOf("ring", 3), Rows(3, std::vector<double>(3, third)));
    EXPECT_EQ(rowsOf("one-peer-exponential", 3), (Rows{{0.5, 0, 0.5}, {0.5, 0.5, 0}, {0, 0.5, 0.5}}));
}

TEST(Graph, TheLargestDegreeIsThatOfAnyRoundOfAPeriod) {
    EXPECT_EQ(largestDegree(*graphOf("star"), 5, 1), 4);
    EXPECT_EQ(largestDegree(*graphOf("one-peer-exponential"), 8, 1), 1);
    EXPECT_EQ(largestDegree(*graphOf("ring"), 1, 1), 0);
}

TEST(Graph, IsConnectedWhereEveryRankHearsTheFirstInTheEnd) {
    EXPECT_TRUE(isConnected(*graphOf("line"), 5));
    EXPECT_TRUE(isConnected(*graphOf("one-peer-exponential"), 8));
    EXPECT_TRUE(isConnected(*graphOf("random-pair"), 6)) << "drawn";
    EXPECT_FALSE(isConnected(*graphOf("groups", {{"size", integer(2)}, {"pattern", text("fixed")}}), 4));
}

}  // namespace
}  // namespace dasgd::test
