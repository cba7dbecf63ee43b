#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(Star, IsAllRanksWithRankZero) {
    const Rows rows = rowsOf("star", 4);
    EXPECT_EQ(rows[0], (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
    EXPECT_EQ(rows[2], (std::vector<double>{0.25, 0, 0.75, 0}));
}

const GraphTrial::Add kStarTrial{{.graph = "star"}};

}  // namespace
}  // namespace dasgd::test
