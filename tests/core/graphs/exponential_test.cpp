#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

TEST(Exponential, HearsThePowersOfTwoBeforeIt) {
    const Rows rows = rowsOf("exponential", 8);
    EXPECT_EQ(rows[0], (std::vector<double>{0.25, 0, 0, 0, 0.25, 0, 0.25, 0.25})) << "7, 6 and 4";
    EXPECT_EQ(rowsOf("exponential", 2), (Rows{{0.5, 0.5}, {0.5, 0.5}}));
    EXPECT_EQ(rowsOf("exponential", 3), rowsOf("complete", 3)) << "1 and 2 before are the other two";
}

const GraphTrial::Add kExponentialTrial{{.graph = "exponential"}};

}  // namespace
}  // namespace dasgd::test
