#include "core/algorithms/gossip/graph_mixing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/graph_trials.h"

namespace dasgd::test {
namespace {

// Closed forms: a ring's second eigenvalue is 1/3 + 2/3 cos(2π/P); the others from arXiv 2110.13363.
TEST(SpectralGap, IsThatOfTheClosedForms) {
    for (const int size : {4, 8, 16, 64}) {
        const double angle = std::cos(2 * std::acos(-1.0) / size);
        EXPECT_NEAR(spectralGap(*graphOf("ring"), size), 2.0 / 3 * (1 - angle), 1e-9);
        EXPECT_NEAR(spectralGap(*graphOf("exponential"), size), 2 / (1 + std::log2(size)), 1e-9);
        EXPECT_NEAR(spectralGap(*graphOf("star"), size), 1.0 / size, 1e-9);
        EXPECT_NEAR(spectralGap(*graphOf("complete"), size), 1, 1e-9);
        // All have the mean after a period: what is left is rounding, of which the period-th root is taken.
        EXPECT_GT(spectralGap(*graphOf("one-peer-exponential"), size), 0.95);
    }
}

}  // namespace
}  // namespace dasgd::test
