#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields cocod(std::int64_t period) { return {{"name", text("cocod_sgd")}, {"period", integer(period)}}; }

class CocodSgdOracle : public testing::TestWithParam<std::tuple<Backend, int, std::int64_t>> {};

// x = m_prev + (x − s_prev); s = x; launch ⟨s⟩.
TEST_P(CocodSgdOracle, AddsTheLastPeriodsStepsToTheMeanBeforeThem) {
    const auto& [backend, workers, period] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 200, .weightDecay = 0.01, .nesterov = true};
    Workers s(static_cast<std::size_t>(workers), problem.start);
    Vec m = problem.start;
    const Trajectory expected = serial(problem, [&, period = period](std::int64_t k, Workers& x) {
        if (k % period != 0) return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < m.size(); ++j) x[i][j] = m[j] + (x[i][j] - s[i][j]);
        }
        s = x;
        m = mean(s);
    });
    expectSame(recorded(train(problem.experiment(cocod(period)), backend)), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CocodSgdOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4, 7),
                                          testing::Values(1, 4)));

// A2.2: no merge moves the mean of the workers.
TEST(CocodSgd, LeavesTheMeanOfTheWorkersAlone) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .momentum = 0};
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    const Trajectory merged = recorded(train(problem.experiment(cocod(4))));
    for (std::size_t k = 0; k < free.size(); ++k) {
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mean(merged[k])[j], mean(free[k])[j], 1e-11) << "step " << k;
    }
}

TEST(CocodSgd, RefusesAPeriodOfNoSteps) {
    const auto refused = readExperiment(QuadraticProblem{}.experiment(cocod(0)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("period"));
}

const AlgorithmTrial::Add kCocodTrial{{.algorithm = "cocod_sgd",
                                       .fields = {{"period", integer(4)}},
                                       .rule =
                                           [](const SerialView& view) {
                                               return merges({.period = 4, .delay = 4, .xi = 0, .c = 1, .atZero = true},
                                                             view);
                                           },
                                       .identities = {// A2.8: the delta with a delay of a period, by the same engine.
                                                      {.with = {{"period", integer(4)}},
                                                       .algorithm = "dasgd",
                                                       .fields = {{"period", integer(4)},
                                                                  {"delay", integer(4)},
                                                                  {"local_weight", number(0)},
                                                                  {"correction", number(1)},
                                                                  {"snapshot_at_zero", boolean(true)}}}}}};

}  // namespace
}  // namespace dasgd::test
