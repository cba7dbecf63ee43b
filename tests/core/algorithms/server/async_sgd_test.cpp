#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

// Workers whose minima are −1 and 1: the mean of these is 0. While the first makes 3 gradients the second makes one, so
// that the weights go around −½. A sum of updates of one rate has that minimum where every worker's is as curved.
TEST(AsyncSgd, InSimulatedTimeOnUnlikeDataGoesToTheMinimumWeightedByTheRates) {
    QuadraticProblem problem{.workers = 2, .steps = 2000, .rate = 0.002, .momentum = 0};
    problem.matrix = {{1}};
    problem.start = {0};
    Value document = servedVirtuallyBy(problem, "async_sgd", {}, {1, 3});
    document.find("model")->set("targets", matrix({{-1}, {1}}));
    const auto records = trainVirtually(document);
    const Trajectory weights = recorded(records);
    // All workers make as many steps: both train until the first one has made its last.
    double sum = 0;
    int steps = 0;
    for (std::size_t k = 1500; k < 2000; ++k, ++steps) sum += weights[k][0][0];
    EXPECT_NEAR(sum / steps, -0.5, 0.02);
}

class AsyncSgdInTurns : public testing::TestWithParam<std::tuple<int, double>> {};

// Workers that are equally fast take turns: a gradient is s = P − 1 updates old, and x ← x − ηλ·x₍ₖ₋ₛ₎ is stable where
// ηλ < 2·sin(π/(2(2s+1))), and nowhere else (arXiv 2406.11159).
TEST_P(AsyncSgdInTurns, InSimulatedTimeIsStableBelowTheBoundOfItsStaleness) {
    const auto& [s, share] = GetParam();
    const double bound = 2 * std::sin(std::numbers::pi / (2 * (2 * s + 1)));
    QuadraticProblem problem{.workers = s + 1, .steps = 1000, .rate = share * bound, .momentum = 0};
    problem.matrix = {{1}};
    problem.start = {1};
    const auto workers = static_cast<std::size_t>(problem.workers);
    Value document = servedVirtuallyBy(problem, "async_sgd", {}, std::vector<double>(workers, 1));
    document.find("model")->set("targets", matrix(std::vector<Vec>(workers, Vec{0})));
    const double end = std::abs(recorded(trainVirtually(document))[1000][0][0]);
    EXPECT_EQ(end < 1e-3, share < 1) << "rate " << problem.rate << ": " << end;
}

INSTANTIATE_TEST_SUITE_P(Staleness, AsyncSgdInTurns,
                         testing::Combine(testing::Range(0, 9), testing::Values(0.97, 1.03)));

const AlgorithmTrial::Add kAsyncSgdTrial{// A push and a pull of each of two workers.
                                         {.algorithm = "async_sgd", .repeats = false}};

}  // namespace
}  // namespace dasgd::test
