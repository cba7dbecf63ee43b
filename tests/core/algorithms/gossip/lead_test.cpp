#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

Fields lead(double consensus) { return {{"name", text("lead")}, {"consensus", number(consensus)}}; }

// The lines of the paper as they stand, with the state H that a compressed run would need.
Trajectory serialLead(const QuadraticProblem& problem, double alpha, double gamma) {
    const auto size = static_cast<std::size_t>(problem.workers);
    const double rate = problem.rate;
    const Rows w = rowsOf("ring", problem.workers);
    Workers x(size, problem.start), h = x, hw = x, d(size, Vec(3, 0));
    Trajectory all{x};
    for (std::int64_t k = 0; k < problem.steps; ++k) {
        Workers g, y = x, q(size, Vec(3)), yHat = x, yHatW = x;
        for (std::size_t i = 0; i < size; ++i) g.push_back(problem.gradient(x[i], problem.target(static_cast<int>(i))));
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                y[i][j] = x[i][j] - rate * g[i][j] - rate * d[i][j];
                q[i][j] = y[i][j] - h[i][j];
            }
        }
        const Workers wq = mixedBy(w, q);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                yHat[i][j] = h[i][j] + q[i][j];
                yHatW[i][j] = hw[i][j] + wq[i][j];
                h[i][j] = (1 - alpha) * h[i][j] + alpha * yHat[i][j];
                hw[i][j] = (1 - alpha) * hw[i][j] + alpha * yHatW[i][j];
                d[i][j] += gamma / (2 * rate) * (yHat[i][j] - yHatW[i][j]);
                x[i][j] -= rate * g[i][j] + rate * d[i][j];
            }
        }
        all.push_back(x);
    }
    return all;
}

TEST(Lead, FollowsItsLines) {
    const QuadraticProblem problem{.workers = 5, .steps = 60, .rate = 0.05, .momentum = 0};
    for (const auto& [alpha, gamma] : {std::pair(0.5, 1.0), std::pair(1.0, 0.6)}) {
        expectSame(recorded(train(problem.experiment(lead(gamma)))), serialLead(problem, alpha, gamma), 1e-10);
    }
}

// Unlike data: all ranks come to the optimum of the mean, where adapt-then-combine stays apart from it.
TEST(Lead, ComesToTheOptimumOfUnlikeData) {
    const QuadraticProblem problem{.workers = 8, .steps = 1500, .rate = 0.07, .momentum = 0};
    Workers targets;
    for (int i = 0; i < 8; ++i) targets.push_back(problem.target(i));
    const Vec optimum = mean(targets);
    const auto furthest = [&](const Trajectory& way) {
        double most = 0;
        for (const Vec& x : way.back()) {
            for (std::size_t j = 0; j < 3; ++j) most = std::max(most, std::abs(x[j] - optimum[j]));
        }
        return most;
    };
    EXPECT_LT(furthest(recorded(train(problem.experiment(lead(1))))), 1e-11);
    EXPECT_GT(
        furthest(recorded(train(problem.experiment({{"name", text("dpsgd")}, {"order", text("adapt-then-combine")}})))),
        0.01);
}

// D sums to 0, so that the mean makes SGD's mean step: with linear gradients of one matrix that of independent ranks.
TEST(Lead, LeavesTheMeanToSgd) {
    const QuadraticProblem problem{.workers = 6, .steps = 80, .rate = 0.05, .momentum = 0};
    const Trajectory got = recorded(train(problem.experiment(lead(1))));
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    for (std::size_t k = 0; k < got.size(); ++k) {
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mean(got[k])[j], mean(free[k])[j], 1e-11) << "step " << k;
    }
}

TEST(Lead, GraphsThatChangeOrAreDirectedAreRefused) {
    for (const char* graph : {"one-peer-exponential", "exponential", "random-pair"}) {
        Value document = QuadraticProblem{.momentum = 0}.experiment(lead(1));
        document.set("graph", table({{"name", text(graph)}}));
        const auto refused = readExperiment(document).value().makeAlgorithm()->check({.workers = 4});
        ASSERT_TRUE(refused) << graph;
        EXPECT_EQ(refused->field, "graph.name");
    }
}

// D += γ/(2η)(Y − WY), on a ring of more than two; the local step of the harness is not taken.
SerialRule exactDiffusion(const SerialView& view) {
    struct State {
        Vectors before, duals, gradients;
    };
    const auto state = std::make_shared<State>();
    state->before = Vectors(view.workers, view.start);
    state->duals = Vectors(view.workers, torch::zeros_like(view.start));
    return {.gradients = [state](std::int64_t, Vectors& gradients) { state->gradients = gradients; },
            .weights =
                [state, rate = view.rate](std::int64_t, Vectors& x) {
                    const std::size_t size = x.size();
                    Vectors y;
                    for (std::size_t i = 0; i < size; ++i) {
                        x[i] = state->before[i] - rate * state->gradients[i];
                        y.push_back(x[i] - rate * state->duals[i]);
                    }
                    for (std::size_t i = 0; i < size; ++i) {
                        const at::Tensor mixed = (y[i] + y[(i + 1) % size] + y[(i + size - 1) % size]) / 3;
                        state->duals[i] = state->duals[i] + (y[i] - mixed) / (2 * rate);
                        x[i] = x[i] - rate * state->duals[i];
                    }
                    state->before = x;
                }};
}

const AlgorithmTrial::Add kLeadTrial{
    {.algorithm = "lead", .rule = &exactDiffusion, .snapshotPasses = 0, .mergePasses = 6}};

}  // namespace
}  // namespace dasgd::test
