#include <gmock/gmock.h>

#include <memory>

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

// With β = 0.9, on a ring of more than two; the local step of the harness is not taken.
SerialRule quasiGlobal(const SerialView& view) {
    struct State {
        Vectors before, momentum, gradients;
    };
    const auto state = std::make_shared<State>();
    state->before = Vectors(view.workers, view.start);
    state->momentum = Vectors(view.workers, torch::zeros_like(view.start));
    return {.gradients = [state](std::int64_t, Vectors& gradients) { state->gradients = gradients; },
            .weights =
                [state, rate = view.rate](std::int64_t, Vectors& x) {
                    const std::size_t size = x.size();
                    Vectors h;
                    for (std::size_t i = 0; i < size; ++i) {
                        h.push_back(state->before[i] - rate * (0.9 * state->momentum[i] + state->gradients[i]));
                    }
                    for (std::size_t i = 0; i < size; ++i) {
                        x[i] = (h[i] + h[(i + 1) % size] + h[(i + size - 1) % size]) / 3;
                        state->momentum[i] = 0.9 * state->momentum[i] + 0.1 / rate * (state->before[i] - x[i]);
                    }
                    state->before = x;
                }};
}

const AlgorithmTrial::Add kQgDsgdmTrial{
    {.algorithm = "qg_dsgdm", .rule = &quasiGlobal, .snapshotPasses = 0, .mergePasses = 6}};

}  // namespace
}  // namespace dasgd::test
