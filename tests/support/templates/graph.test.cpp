#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(ExtraGraph, LeavesOutTheOppositeOfSixRanks) {
    EXPECT_EQ(rowsOf("extra_graph", 6)[0], (std::vector<double>{0.2, 0.2, 0.2, 0, 0.2, 0.2}));
    EXPECT_EQ(rowsOf("extra_graph", 3)[0], (std::vector<double>(3, 1.0 / 3))) << "no neighbour counts twice";
}

const GraphTrial::Add kExtraGraphTrial{{.graph = "extra_graph"}};

}  // namespace
}  // namespace dasgd::test
