#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

Rows product(const Rows& a, const Rows& b) {
    Rows c(a.size(), std::vector<double>(a.size(), 0));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) {
            for (std::size_t k = 0; k < a.size(); ++k) c[i][j] += a[i][k] * b[k][j];
        }
    }
    return c;
}

// Exact averaging after ⌈log₂P⌉ rounds if, and only if, P is a power of two (arXiv 2110.13363, lemma 1).
TEST(OnePeerExponential, AveragesExactlyInLogRoundsForPowersOfTwoAlone) {
    for (int size = 2; size <= 33; ++size) {
        const auto graph = graphOf("one-peer-exponential");
        Rows all = matrixOf(*graph, {.number = 0, .size = size});
        for (std::int64_t t = 1; t < graph->period(size); ++t) {
            all = product(matrixOf(*graph, {.number = t, .size = size}), all);
        }
        double furthest = 0;
        for (const auto& row : all) {
            for (const double weight : row) furthest = std::max(furthest, std::abs(weight - 1.0 / size));
        }
        const bool isPower = (size & (size - 1)) == 0;
        EXPECT_EQ(furthest < 1e-12, isPower) << size << " ranks: " << furthest;
    }
}

TEST(OnePeerExponential, HearsOneRankARound) {
    EXPECT_EQ(rowsOf("one-peer-exponential", 8, {}, 2)[1], (std::vector<double>{0, 0.5, 0, 0, 0, 0.5, 0, 0}));
    EXPECT_EQ(rowsOf("one-peer-exponential", 8, {}, 3)[1], (std::vector<double>{0.5, 0.5, 0, 0, 0, 0, 0, 0}));
}

const GraphTrial::Add kOnePeerExponentialTrial{{.graph = "one-peer-exponential"}};

}  // namespace
}  // namespace dasgd::test
