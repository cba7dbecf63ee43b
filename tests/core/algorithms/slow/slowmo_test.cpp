#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

Fields slowMo(double momentum, double rate, std::int64_t period = 4) {
    return {{"name", text("slowmo")},
            {"period", integer(period)},
            {"slow_momentum", number(momentum)},
            {"slow_learning_rate", number(rate)}};
}

// arXiv 1910.00643: u = βu + (θ − ⟨w⟩)/η, θ −= αηu, all weights are θ.
struct SerialSlowMo {
    double eta, beta, alpha;
    std::int64_t period = 4;
    Vec theta, u = Vec(theta.size(), 0);
    void operator()(std::int64_t k, Workers& w) {
        if (k % period != 0) return;
        const Vec m = mean(w);
        for (std::size_t j = 0; j < m.size(); ++j) {
            u[j] = beta * u[j] + (theta[j] - m[j]) / eta;
            theta[j] -= alpha * eta * u[j];
        }
        w.assign(w.size(), theta);
    }
};

class SlowMoOracle : public testing::TestWithParam<std::tuple<Backend, std::tuple<double, double, int>>> {};

TEST_P(SlowMoOracle, FollowsTheSerialRule) {
    const auto& [backend, setting] = GetParam();
    const auto& [beta, alpha, period] = setting;
    SerialSlowMo rule{
        .eta = kOuterProblem.rate, .beta = beta, .alpha = alpha, .period = period, .theta = kOuterProblem.start};
    expectSame(trained(kOuterProblem, slowMo(beta, alpha, period), backend), serial(kOuterProblem, std::ref(rule)),
               1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, SlowMoOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()),
                                          testing::Values(std::tuple(0.2, 1.0, 5), std::tuple(0.3, 0.8, 1),
                                                          std::tuple(0.0, 0.5, 4), std::tuple(0.5, 1.0, 4))));

TEST(SlowMo, ForgetsTheLocalMomentumWhereTold) {
    SerialSlowMo rule{.eta = kOuterProblem.rate, .beta = 0.5, .alpha = 1, .theta = kOuterProblem.start};
    const auto reset = [](std::int64_t k, Workers& v) {
        if (k % 4 == 0) v.assign(v.size(), {});
    };
    Fields fields = slowMo(0.5, 1);
    fields.emplace_back("optimizer_state", text("reset"));
    expectSame(trained(kOuterProblem, fields), serial(kOuterProblem, std::ref(rule), nullptr, reset), 1e-12);
}

TEST(SlowMo, RefusesAMomentumOfOne) {
    const auto refused = readExperiment(kOuterProblem.experiment(slowMo(1, 1)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("slow_momentum"));
}

// u = βu + (θ − ⟨w⟩)/η, θ −= ηu. β = 0.5.
SerialRule movesSlowly(const SerialView& view) {
    return {.weights = [eta = view.rate, theta = view.start, u = torch::zeros_like(view.start)](std::int64_t k,
                                                                                                Vectors& w) mutable {
        if (k % 4 != 0) return;
        u = u * 0.5 + (theta - meanOf(w)) / eta;
        theta = theta - u * eta;
        w.assign(w.size(), theta);
    }};
}

const AlgorithmTrial::Add kSlowMoTrial{
    {.algorithm = "slowmo",
     .fields = {{"period", integer(4)}, {"slow_momentum", number(0.5)}, {"slow_learning_rate", number(1)}},
     .rule = &movesSlowly,
     .identities = {{.with = {{"period", integer(4)}, {"slow_momentum", number(0)}, {"slow_learning_rate", number(1)}},
                     .algorithm = "local_sgd",
                     .fields = {{"period", integer(4)}}}}}};

}  // namespace
}  // namespace dasgd::test
