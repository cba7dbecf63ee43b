#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

Fields lead(double consensus) { return {{"name", text("lead")}, {"consensus", number(consensus)}}; }

Value codedLead(const QuadraticProblem& problem, double alpha, double gamma, Fields compression) {
    Value document =
        problem.experiment({{"name", text("lead")}, {"memory", number(alpha)}, {"consensus", number(gamma)}});
    document.set("compression", table(std::move(compression)));
    return document;
}

Vec asItIs(const Vec& x) { return x; }
// One segment: scale ‖x‖₁/n, as it travels in float32.
Vec bySigns(const Vec& x) {
    double sum = 0;
    for (const double number : x) sum += std::abs(number);
    const double scale = static_cast<float>(sum / static_cast<double>(x.size()));
    Vec out;
    for (const double number : x) out.push_back(number >= 0 ? scale : -scale);
    return out;
}

// The lines of the paper as they stand.
Trajectory serialLead(const QuadraticProblem& problem, double alpha, double gamma, Vec (*code)(const Vec&) = asItIs) {
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
            q[i] = code(q[i]);
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

TEST(Lead, FollowsItsLinesWhereItIsCoded) {
    const QuadraticProblem problem{.workers = 5, .steps = 60, .rate = 0.05, .momentum = 0};
    for (const auto& [alpha, gamma] : {std::pair(0.5, 0.2), std::pair(1.0, 0.1)}) {
        expectSame(recorded(train(codedLead(problem, alpha, gamma, {{"name", text("sign")}}))),
                   serialLead(problem, alpha, gamma, bySigns), 1e-10);
    }
}

// Unlike data: all ranks come to the optimum of the mean, where adapt-then-combine stays apart from it.
TEST(Lead, ComesToTheOptimumOfUnlikeDataCodedOrNot) {
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
    // The "2 bits" of the paper; and signs, which are biased, so that the copies must have all of them.
    const Fields twoBits{{"name", text("qsgd")}, {"norm", text("max")}, {"levels", integer(2)}};
    EXPECT_LT(furthest(recorded(train(codedLead(problem, 0.5, 1, twoBits)))), 1e-11);
    EXPECT_LT(furthest(recorded(train(codedLead(problem, 1, 1, {{"name", text("sign")}})))), 1e-11);
    EXPECT_GT(
        furthest(recorded(train(problem.experiment({{"name", text("dpsgd")}, {"order", text("adapt-then-combine")}})))),
        0.01);
}

// D sums to 0, so that the mean makes SGD's mean step: with linear gradients of one matrix that of independent ranks.
TEST(Lead, LeavesTheMeanToSgdCodedOrNot) {
    const QuadraticProblem problem{.workers = 6, .steps = 80, .rate = 0.05, .momentum = 0};
    const Trajectory got = recorded(train(problem.experiment(lead(1))));
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    const Trajectory coded = recorded(train(codedLead(problem, 1, 0.2, {{"name", text("sign")}})));
    for (std::size_t k = 0; k < got.size(); ++k) {
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(mean(got[k])[j], mean(free[k])[j], 1e-11) << "step " << k;
            EXPECT_NEAR(mean(coded[k])[j], mean(free[k])[j], 1e-11) << "step " << k << ", coded";
        }
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
const AlgorithmTrial::Add kCodedLeadTrial{
    {.algorithm = "lead", .fields = {{"memory", number(1)}}, .compression = {{"name", text("sign")}}, .what = "coded"}};

}  // namespace
}  // namespace dasgd::test
