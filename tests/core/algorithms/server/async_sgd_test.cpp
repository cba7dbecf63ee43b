#include <gmock/gmock.h>

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

const AlgorithmTrial::Add kAsyncSgdTrial{// A push and a pull of each of two workers.
                                         {.algorithm = "async_sgd", .repeats = false}};

}  // namespace
}  // namespace dasgd::test
