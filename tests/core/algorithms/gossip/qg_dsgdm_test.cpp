#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

QuadraticProblem plain(int workers) { return {.workers = workers, .steps = 60, .rate = 0.05, .momentum = 0}; }

TEST(QgDsgdm, TakesItsMomentumFromTheMixedWeights) {
    for (const double beta : {0.9, 0.5}) {
        const QuadraticProblem problem = plain(5);
        const Rows w = rowsOf("ring", 5);
        Workers before(5, problem.start), m(5, Vec(3, 0));
        // The local step without momentum is undone, and made with m.
        const Trajectory expected = serial(problem, [&](std::int64_t, Workers& x) {
            Workers h = before;
            for (std::size_t i = 0; i < x.size(); ++i) {
                for (std::size_t j = 0; j < 3; ++j) {
                    const double gradient = (before[i][j] - x[i][j]) / problem.rate;
                    h[i][j] -= problem.rate * (beta * m[i][j] + gradient);
                }
            }
            x = mixedBy(w, h);
            for (std::size_t i = 0; i < x.size(); ++i) {
                for (std::size_t j = 0; j < 3; ++j) {
                    m[i][j] = beta * m[i][j] + (1 - beta) * (before[i][j] - x[i][j]) / problem.rate;
                }
            }
            before = x;
        });
        expectSame(recorded(train(problem.experiment({{"name", text("qg_dsgdm")}, {"momentum", number(beta)}}))),
                   expected, 1e-11);
    }
}

TEST(QgDsgdm, WithoutMomentumIsAdaptThenCombine) {
    expectSame(recorded(train(plain(4).experiment({{"name", text("qg_dsgdm")}, {"momentum", number(0)}}))),
               recorded(train(plain(4).experiment({{"name", text("dpsgd")}, {"order", text("adapt-then-combine")}}))),
               1e-12);
}

TEST(QgDsgdm, OptimizersWithMomentumAreRefused) {
    const auto algorithm = readExperiment(plain(3).experiment({{"name", text("qg_dsgdm")}})).value().makeAlgorithm();
    EXPECT_EQ(algorithm->check({.workers = 3, .optimizerState = 1})->field, "optimizer.name");
    EXPECT_EQ(algorithm->check({.workers = 3, .decaysWeights = true})->field, "optimizer.weight_decay");
    EXPECT_FALSE(algorithm->check({.workers = 3}));
}

const AlgorithmTrial::Add kQgDsgdmTrial{{.algorithm = "qg_dsgdm", .snapshotPasses = 0, .mergePasses = 6}};

}  // namespace
}  // namespace dasgd::test
