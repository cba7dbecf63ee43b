// What the exchanges do is in pair_exchanges_test.cpp.
#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

// On unlike data ranks that exchange end nearer to each other than ranks that do not.
TEST(AdPsgd, BringsTheRanksTogether) {
    const QuadraticProblem problem{.workers = 4, .steps = 200, .rate = 0.02, .momentum = 0};
    const auto spread = [&](const char* algorithm) {
        const Trajectory way = recorded(train(problem.experiment({{"name", text(algorithm)}})));
        const Vec centre = mean(way.back());
        double sum = 0;
        for (const Vec& x : way.back()) {
            for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - centre[j]) * (x[j] - centre[j]);
        }
        return sum;
    };
    EXPECT_LT(spread("ad_psgd"), spread("independent"));
}

TEST(AdPsgd, SharesNoWorkAndIsApartAtAnyLength) {
    const auto algorithm =
        readExperiment(QuadraticProblem{}.experiment({{"name", text("ad_psgd")}})).value().makeAlgorithm();
    EXPECT_TRUE(algorithm->hasUnboundedSkew({.steps = 10, .ranks = 2}));
    EXPECT_FALSE(algorithm->hasUnboundedSkew({.steps = 10, .ranks = 1}));
}

const AlgorithmTrial::Add kAdPsgdTrial{{.algorithm = "ad_psgd",
                                        .repeats = false,
                                        .resumesExactly = false,
                                        .identities = {{.with = {}, .algorithm = "independent", .workers = {1}}}}};

}  // namespace
}  // namespace dasgd::test
