#include <gtest/gtest.h>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

// Metropolis: 1/(1 + 2) between any two, so that the ends keep 2/3 of their own.
TEST(Line, KeepsTheMeanThoughItsEndsHaveOneNeighbour) {
    const Rows rows = rowsOf("line", 4);
    const double a = 1.0 / 3;
    const Rows expected{{2 * a, a, 0, 0}, {a, a, a, 0}, {0, a, a, a}, {0, 0, a, 2 * a}};
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(rows[i][j], expected[i][j], 1e-15);
    }
    EXPECT_TRUE(graphOf("line", {{"weights", text("uniform")}})->check(3));
}

const GraphTrial::Add kLineTrial{{.graph = "line"}};

}  // namespace
}  // namespace dasgd::test
