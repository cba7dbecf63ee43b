#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "tests/support/algorithm_trials.h"
#include "tests/support/gossip_oracle.h"

namespace dasgd::test {
namespace {

Trajectory trainedWith(const QuadraticProblem& problem, Fields algorithm, const std::string& graph = "ring") {
    const bool mixes = algorithm[0].second.toToml() != "\"sync_sgd\"";
    Value document = problem.experiment(std::move(algorithm));
    if (mixes) document.set("graph", table({{"name", text(graph)}}));
    return recorded(train(document));
}
const Fields kDecentlam{{"name", text("decentlam")}};
const Fields kCombined{{"name", text("dpsgd")}, {"order", text("adapt-then-combine")}};

// ĝ = (x − W(x − ηg))/η in place of the gradient, which the optimiser decays and gives momentum.
TEST(Decentlam, PutsTheMixtureInTheGradientsPlace) {
    for (const char* graph : {"ring", "line"}) {
        const QuadraticProblem problem{.workers = 5, .steps = 60, .rate = 0.05, .weightDecay = 0.01, .nesterov = true};
        const Rows w = rowsOf(graph, 5);
        Workers before(5, problem.start);
        const Trajectory expected = serial(
            problem, [&](std::int64_t, Workers& x) { before = x; },
            [&](Workers& g) {
                Workers y = before;
                for (std::size_t i = 0; i < y.size(); ++i) {
                    for (std::size_t j = 0; j < y[i].size(); ++j) y[i][j] -= problem.rate * g[i][j];
                }
                const Workers mixture = mixedBy(w, y);
                for (std::size_t i = 0; i < y.size(); ++i) {
                    for (std::size_t j = 0; j < y[i].size(); ++j) {
                        g[i][j] = (before[i][j] - mixture[i][j]) / problem.rate;
                    }
                }
            });
        expectSame(trainedWith(problem, kDecentlam, graph), expected, 1e-11);
    }
}

TEST(Decentlam, WithoutMomentumIsAdaptThenCombine) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .rate = 0.05, .momentum = 0};
    expectSame(trainedWith(problem, kDecentlam), trainedWith(problem, kCombined), 1e-11);
}

TEST(Decentlam, OnTheCompleteGraphIsSynchronousSgdWithMomentum) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .rate = 0.05};
    expectSame(trainedWith(problem, kDecentlam, "complete"), trainedWith(problem, {{"name", text("sync_sgd")}}), 1e-10);
}

// Mean over the ranks of the squared distance to the optimum of the mean, when nothing moves any more.
double biasOf(const Trajectory& way, const QuadraticProblem& problem) {
    Workers targets;
    for (int i = 0; i < problem.workers; ++i) targets.push_back(problem.target(i));
    const Vec optimum = mean(targets);
    double sum = 0;
    for (const Vec& x : way.back()) {
        for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - optimum[j]) * (x[j] - optimum[j]);
    }
    return sum / problem.workers;
}

// The fixed point is that of adapt-then-combine without momentum, while momentum at each rank (DmSGD) makes the bias
// larger by up to 1/(1 − β)² (arXiv 2104.11981).
TEST(Decentlam, HasTheBiasOfSgdWhereMomentumAmplifiesIt) {
    QuadraticProblem problem{.workers = 8, .steps = 6000, .rate = 0.01, .momentum = 0};
    problem.matrix = {{1, 0, 0}, {0, 0.8, 0}, {0, 0, 0.6}};
    const double sgd = biasOf(trainedWith(problem, kCombined), problem);
    problem.momentum = 0.9;
    const double decentlam = biasOf(trainedWith(problem, kDecentlam), problem);
    const double dmsgd = biasOf(trainedWith(problem, kCombined), problem);
    EXPECT_NEAR(decentlam / sgd, 1, 1e-6);
    EXPECT_GT(dmsgd / sgd, 20);
    EXPECT_LT(dmsgd / sgd, 100);
}

TEST(Decentlam, OptimizersThatDivideTheGradientAreRefused) {
    const auto algorithm = readExperiment(QuadraticProblem{}.experiment(kDecentlam)).value().makeAlgorithm();
    EXPECT_EQ(algorithm->check({.workers = 4, .optimizerState = 2})->field, "optimizer.name");
    EXPECT_EQ(algorithm->check({.workers = 4, .clips = true})->field, "train.gradient_clip");
    EXPECT_FALSE(algorithm->check({.workers = 4, .optimizerState = 1}));
}

// ĝ = (x − W(x − ηg))/η on a ring of more than two; momentum is the harness's.
SerialRule mixesInTheGradient(const SerialView& view) {
    const auto before = std::make_shared<Vectors>(view.workers, view.start);
    return {.gradients =
                [before, rate = view.rate](std::int64_t, Vectors& gradients) {
                    const std::size_t size = gradients.size();
                    Vectors y;
                    for (std::size_t i = 0; i < size; ++i) y.push_back((*before)[i] - rate * gradients[i]);
                    for (std::size_t i = 0; i < size; ++i) {
                        const at::Tensor mixed = (y[i] + y[(i + 1) % size] + y[(i + size - 1) % size]) / 3;
                        gradients[i] = ((*before)[i] - mixed) / rate;
                    }
                },
            .weights = [before](std::int64_t, Vectors& x) { *before = x; }};
}

// A warm-up from 0: ĝ is Wg then, so that on the complete graph momentum is that of synchronous SGD from the first
// step.
TEST(Decentlam, MixesTheGradientsWhereTheRateIsZero) {
    const QuadraticProblem problem{.workers = 4, .steps = 30, .rate = 0.05};
    const auto warmed = [&](Fields algorithm, bool mixes) {
        Value document = problem.experiment(std::move(algorithm));
        if (mixes) document.set("graph", table({{"name", text("complete")}}));
        document.set("schedule",
                     table({{"name", text("constant")}, {"warmup_steps", integer(5)}, {"warmup_factor", number(0)}}));
        return recorded(train(document));
    };
    expectSame(warmed(kDecentlam, true), warmed({{"name", text("sync_sgd")}}, false), 1e-10);
}

const AlgorithmTrial::Add kDecentlamTrial{{.algorithm = "decentlam", .rule = &mixesInTheGradient, .mergePasses = 5}};

}  // namespace
}  // namespace dasgd::test
