#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields osp(double lateShare, const std::string& important = "order") {
    return {{"name", text("osp")}, {"late_share", number(lateShare)}, {"important", text(important)}};
}

const QuadraticProblem kPlain{.workers = 3, .steps = 40, .rate = 0.05, .momentum = 0, .weightDecay = 0.01};

// θᵏ = θᵏ⁻¹ − η(⟨g⟩ + λθᵏ⁻¹); of the last `late` elements a worker has its own step until the next one's gradient is
// there.
Trajectory serialOsp(const QuadraticProblem& problem, std::size_t late) {
    Vec theta = problem.start;
    const std::size_t size = theta.size();
    Workers w(static_cast<std::size_t>(problem.workers), theta);
    Trajectory all{w};
    for (std::int64_t k = 1; k <= problem.steps; ++k) {
        Workers gradients;
        for (std::size_t i = 0; i < w.size(); ++i) {
            gradients.push_back(problem.gradient(w[i], problem.target(static_cast<int>(i))));
        }
        const Vec together = mean(gradients);
        const auto stepped = [&](const Vec& gradient, std::size_t j) {
            return theta[j] - problem.rate * (gradient[j] + problem.weightDecay * theta[j]);
        };
        for (std::size_t i = 0; i < w.size(); ++i) {
            for (std::size_t j = 0; j < size; ++j) w[i][j] = stepped(j + late < size ? together : gradients[i], j);
        }
        Vec next(size);
        for (std::size_t j = 0; j < size; ++j) next[j] = stepped(together, j);
        theta = next;
        all.push_back(w);
    }
    return all;
}

class OspOracle : public testing::TestWithParam<std::tuple<Backend, int>> {};

TEST_P(OspOracle, FollowsTheSerialRule) {
    const auto& [backend, late] = GetParam();
    const double share = (late + 0.1) / 3.1;
    expectSame(trained(kPlain, osp(share), backend), serialOsp(kPlain, static_cast<std::size_t>(late)), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Shares, OspOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(0, 1, 2, 3)));

TEST(Osp, WithoutLateElementsIsSynchronousSgd) {
    const QuadraticProblem problem{.workers = 3, .steps = 60, .weightDecay = 0.01, .nesterov = true};
    expectSame(trained(problem, osp(0)), trained(problem, {{"name", text("sync_sgd")}}), 1e-13);
}

// Without weight decay, which a worker's correction would take of other weights.
TEST(Osp, OfLateElementsAloneIsDasgdWithTheWholeCorrection) {
    QuadraticProblem problem = kPlain;
    problem.weightDecay = 0;
    expectSame(trained(problem, osp(1)),
               trained(problem, {{"name", text("dasgd")},
                                 {"period", integer(1)},
                                 {"delay", integer(1)},
                                 {"local_weight", number(0)},
                                 {"correction", number(1)}}),
               1e-12);
}

// With gradients that are linear in the weights, of one matrix, the mean of the workers is synchronous SGD's weights
// for any late share.
TEST(Osp, OfLinearGradientsHasTheMeanOfSynchronousSgd) {
    const Trajectory late = trained(kPlain, osp(0.7)), synchronous = trained(kPlain, {{"name", text("sync_sgd")}});
    for (std::size_t k = 0; k < late.size(); ++k) {
        const Vec one = mean(late[k]), other = mean(synchronous[k]);
        for (std::size_t j = 0; j < one.size(); ++j) EXPECT_NEAR(one[j], other[j], 1e-12) << "step " << k;
    }
}

// Momentum is θ's: it sees the mean gradient of every step once, in order.
TEST(Osp, KeepsTheMomentumOfTheMean) {
    QuadraticProblem problem = kPlain;
    problem.momentum = 0.9;
    const Trajectory late = trained(problem, osp(0.7)), synchronous = trained(problem, {{"name", text("sync_sgd")}});
    for (std::size_t k = 0; k < late.size(); ++k) {
        const Vec one = mean(late[k]), other = mean(synchronous[k]);
        for (std::size_t j = 0; j < one.size(); ++j) EXPECT_NEAR(one[j], other[j], 1e-12) << "step " << k;
    }
}

TEST(Osp, IsRefusedWithAnOptimizerThatCountsAndWithClipping) {
    const auto algorithm = readExperiment(kPlain.experiment(osp(0.5))).value().makeAlgorithm();
    EXPECT_THAT(algorithm->check({.workers = 3, .optimizerState = 2}).value().message, HasSubstr("name = \"sgd\""));
    EXPECT_EQ(algorithm->check({.workers = 3, .clips = true}).value().field, "train.gradient_clip");
    EXPECT_FALSE(algorithm->check({.workers = 3, .optimizerState = 1}));
}

const AlgorithmTrial::Add kOspTrial{
    {.algorithm = "osp",
     .fields = {{"late_share", number(0)}, {"important", text("order")}},
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; }}};

// The layers of least ⟨|g·w|⟩, up to a share of the elements, by the mean gradient and the weights of the step before.
std::vector<bool> lateLayers(const at::Tensor& mean, const at::Tensor& theta, const std::vector<std::int64_t>& layers,
                             double share) {
    std::vector<std::tuple<double, std::size_t, std::int64_t>> order;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < layers.size(); begin += layers[i++]) {
        const at::Tensor product = (mean * theta).slice(0, begin, begin + layers[i]);
        order.emplace_back(product.abs().mean().item<double>(), i, layers[i]);
    }
    std::ranges::sort(order);
    double left = share * static_cast<double>(begin);
    std::vector<bool> late(layers.size(), false);
    for (const auto& [importance, layer, size] : order) {
        if (static_cast<double>(size) > left) continue;
        left -= static_cast<double>(size);
        late[layer] = true;
    }
    return late;
}

// SGD with the momentum of the mean gradients; a worker's own step in the late layers.
SerialRule ospByImportance(const SerialView& view, double share) {
    struct State {
        at::Tensor theta, velocity, mean;
        Vectors gradients;
    };
    const auto state = std::make_shared<State>();
    state->theta = view.start;
    state->velocity = torch::zeros_like(view.start);
    return {.gradients = [state](std::int64_t, Vectors& gradients) { state->gradients = gradients; },
            .weights =
                [state, share, layers = view.layers, rate = view.rate](std::int64_t k, Vectors& w) {
                    constexpr double kMomentum = 0.9;  // of the oracle's training
                    const std::vector<bool> late = k == 1 ? std::vector<bool>(layers.size(), false)
                                                          : lateLayers(state->mean, state->theta, layers, share);
                    if (k > 1) {
                        EXPECT_GT(std::ranges::count(late, true), 0) << "or this is synchronous SGD";
                    }
                    const at::Tensor kept = state->velocity * kMomentum, mean = meanOf(state->gradients);
                    const at::Tensor together = state->theta - rate * (kept + mean);
                    for (std::size_t i = 0; i < w.size(); ++i) {
                        const at::Tensor alone = state->theta - rate * (kept + state->gradients[i]);
                        std::vector<at::Tensor> parts;
                        std::int64_t begin = 0;
                        for (std::size_t layer = 0; layer < layers.size(); begin += layers[layer++]) {
                            const at::Tensor& from = late[layer] ? alone : together;
                            parts.push_back(from.slice(0, begin, begin + layers[layer]));
                        }
                        w[i] = torch::cat(parts);
                    }
                    state->mean = mean;
                    state->velocity = kept + mean;
                    state->theta = together;
                }};
}

const AlgorithmTrial::Add kOspByImportanceTrial{
    {.algorithm = "osp",
     .fields = {{"late_share", number(0.6)}},
     .rule = [](const SerialView& view) { return ospByImportance(view, 0.6); },
     .what = "importance",
     // |g·w| and its mean for each of two layers, the means together, and two packings.
     .snapshotPasses = 9,
     .mergePasses = 8,
     .hostReads = HostReads::EachStep}};

}  // namespace
}  // namespace dasgd::test
