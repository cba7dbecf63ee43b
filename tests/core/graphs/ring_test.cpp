#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(Ring, HasAThirdOfEachNeighbour) {
    const double a = 1.0 / 3;
    EXPECT_EQ(rowsOf("ring", 4), (Rows{{a, a, 0, a}, {a, a, a, 0}, {0, a, a, a}, {a, 0, a, a}}));
    EXPECT_EQ(rowsOf("ring", 2), (Rows{{0.5, 0.5}, {0.5, 0.5}})) << "one neighbour, not two";
    EXPECT_EQ(rowsOf("ring", 1), (Rows{{1}}));
    // The one before first: sums are formed in this order.
    const Graph::Mix mix = graphOf("ring")->mix({.size = 5}, 0);
    EXPECT_EQ(mix.from[0].rank, Rank(4));
    EXPECT_EQ(mix.from[1].rank, Rank(1));
}

const GraphTrial::Add kRingTrial{{.graph = "ring"}};

}  // namespace
}  // namespace dasgd::test
