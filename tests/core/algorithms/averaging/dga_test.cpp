#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields dga(std::int64_t period, std::int64_t delay) {
    return {{"name", text("dga")}, {"period", integer(period)}, {"delay", integer(delay)}};
}

// Each gradient in plain doubles: gᵢ ← gᵢ + ⟨Gᵢ⟩ − Gᵢ, D steps after the sum G of K gradients left.
struct SerialDelayedGradients {
    std::int64_t period, delay;
    std::int64_t k = 0, due = 0;
    Workers sum = {}, left = {};

    void operator()(Workers& g) {
        ++k;
        if (sum.empty()) sum.assign(g.size(), Vec(g[0].size(), 0));
        for (std::size_t i = 0; i < g.size(); ++i) {
            for (std::size_t j = 0; j < g[i].size(); ++j) sum[i][j] += g[i][j];
        }
        if (k == due) {
            const Vec average = mean(left);
            for (std::size_t i = 0; i < g.size(); ++i) {
                for (std::size_t j = 0; j < g[i].size(); ++j) g[i][j] += average[j] - left[i][j];
            }
        }
        if (k % period != 0) return;
        left = sum;
        sum.clear();
        due = k + delay;
    }
};

void nothing(std::int64_t, Workers&) {}

class DgaOracle : public testing::TestWithParam<std::tuple<Backend, int, std::pair<std::int64_t, std::int64_t>>> {};

TEST_P(DgaOracle, ReplacesOldGradientsByTheirMean) {
    const auto& [backend, workers, setting] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 200, .rate = 0.05, .weightDecay = 0.01, .nesterov = true};
    SerialDelayedGradients rule{.period = setting.first, .delay = setting.second};
    const Trajectory expected = serial(problem, nothing, std::ref(rule));
    expectSame(recorded(train(problem.experiment(dga(setting.first, setting.second)), backend)), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, DgaOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 4, 7),
                                          testing::Values(std::pair(4, 3), std::pair(4, 4), std::pair(1, 1),
                                                          std::pair(5, 1))));

// A10: with plain SGD it is the delta.
TEST(Dga, WithPlainSgdIsTheDelta) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .momentum = 0};
    const Fields delta{{"name", text("dasgd")},
                       {"period", integer(4)},
                       {"delay", integer(3)},
                       {"local_weight", number(0)},
                       {"correction", number(1)}};
    expectSame(recorded(train(problem.experiment(dga(4, 3)))), recorded(train(problem.experiment(delta))), 1e-12);
}

// With an optimiser that is linear in the gradients, replacements sum to zero over the ranks, so the mean of the
// workers stays that of independent ones.
TEST(Dga, LeavesTheMeanOfTheWorkersAloneWithMomentumToo) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .weightDecay = 0.01, .nesterov = true};
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    const Trajectory merged = recorded(train(problem.experiment(dga(4, 3))));
    for (std::size_t k = 0; k < free.size(); ++k) {
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mean(merged[k])[j], mean(free[k])[j], 1e-11) << "step " << k;
    }
}

TEST(Dga, OneWorkerIsPlainSgd) {
    const QuadraticProblem problem{.workers = 1};
    expectSame(recorded(train(problem.experiment(dga(4, 3)))),
               recorded(train(problem.experiment({{"name", text("independent")}}))), 0);
}

TEST(Dga, RefusesADelayBeyondThePeriodOrOfNoStep) {
    for (const auto& [delay, said] : std::vector<std::pair<std::int64_t, std::string>>{
             {5, "delay is 5; allowed: 0 to period (4) steps"}, {0, "delay"}}) {
        const auto refused = readExperiment(QuadraticProblem{}.experiment(dga(4, delay)));
        ASSERT_FALSE(refused) << delay;
        EXPECT_THAT(refused.error().message, testing::HasSubstr(said));
    }
}

// gᵢ ← gᵢ + ⟨Gᵢ⟩ − Gᵢ three steps after the sum G of four gradients left.
SerialRule replacesGradients(const SerialView& view) {
    const Vectors zero(view.workers, torch::zeros_like(view.start));
    return {.gradients = [zero, sum = zero, left = zero](std::int64_t k, Vectors& g) mutable {
        for (std::size_t i = 0; i < g.size(); ++i) sum[i] = sum[i] + g[i];
        if (k > 4 && k % 4 == 3) {
            const at::Tensor m = meanOf(left);
            for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] + m - left[i];
        }
        if (k % 4 == 0) left = std::exchange(sum, zero);
    }};
}

const AlgorithmTrial::Add kDgaTrial{{.algorithm = "dga",
                                     .fields = {{"period", integer(4)}, {"delay", integer(3)}},
                                     .rule = &replacesGradients,
                                     // Every step adds its gradient to the sum that is going to leave; a merge due
                                     // before it leaves changes the gradient.
                                     .snapshotPasses = 2}};

}  // namespace
}  // namespace dasgd::test
