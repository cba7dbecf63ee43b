#include <gtest/gtest.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

TEST(Independent, EachWorkerGoesItsOwnWayAndSendsNothing) {
    for (const int workers : {1, 2, 4, 7}) {
        const QuadraticProblem problem{.workers = workers, .weightDecay = 0.1, .nesterov = true};
        const std::vector<RankRecord> records = train(problem.experiment({{"name", text("independent")}}));
        expectSame(recorded(records), serial(problem, [](std::int64_t, Workers&) {}), 1e-12);
        EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 0);
    }
}

const AlgorithmTrial::Add kIndependentTrial{{.algorithm = "independent",
                                             .rule = [](const SerialView&) { return SerialRule{}; },
                                             .snapshotPasses = 0,
                                             .mergePasses = 0}};

}  // namespace
}  // namespace dasgd::test
