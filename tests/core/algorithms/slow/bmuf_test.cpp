#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

Fields bmuf(double momentum, double rate, bool nesterov = false) {
    return {{"name", text("bmuf")},
            {"slow_momentum", number(momentum)},
            {"slow_learning_rate", number(rate)},
            {"nesterov", boolean(nesterov)}};
}

// Chen and Huo: G = ⟨w⟩ − sent, D = βD + αG, W = W + D; sent out is W, or with Nesterov W + βD.
struct SerialBmuf {
    double beta, alpha;
    bool nesterov;
    Vec global, sent = global, d = Vec(global.size(), 0);
    void operator()(std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        const Vec m = mean(w);
        for (std::size_t j = 0; j < m.size(); ++j) {
            d[j] = beta * d[j] + alpha * (m[j] - sent[j]);
            global[j] += d[j];
            sent[j] = global[j] + (nesterov ? beta * d[j] : 0);
        }
        w.assign(w.size(), sent);
    }
};

class BmufOracle : public testing::TestWithParam<std::tuple<Backend, std::tuple<double, double, bool>>> {};

TEST_P(BmufOracle, FollowsTheSerialRule) {
    const auto& [backend, setting] = GetParam();
    const auto& [beta, alpha, nesterov] = setting;
    SerialBmuf rule{.beta = beta, .alpha = alpha, .nesterov = nesterov, .global = kOuterProblem.start};
    expectSame(trained(kOuterProblem, bmuf(beta, alpha, nesterov), backend), serial(kOuterProblem, std::ref(rule)),
               1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, BmufOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()),
                                          testing::Values(std::tuple(0.5, 1.0, false), std::tuple(0.75, 0.8, true),
                                                          std::tuple(0.0, 0.8, true))));

// G = ⟨w⟩ − θ, D = βD + G, θ = θ + D. β = 0.5.
SerialRule filtersBlocks(const SerialView& view) {
    return {.weights = [theta = view.start, d = torch::zeros_like(view.start)](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        d = d * 0.5 + (meanOf(w) - theta);
        theta = theta + d;
        w.assign(w.size(), theta);
    }};
}

const AlgorithmTrial::Add kBmufTrial{
    {.algorithm = "bmuf",
     .fields = {{"period", integer(4)}, {"slow_momentum", number(0.5)}, {"slow_learning_rate", number(1)}},
     .rule = &filtersBlocks,
     .identities = {{.with = {{"slow_momentum", number(0)}, {"slow_learning_rate", number(1)}},
                     .algorithm = "local_sgd",
                     .fields = {{"period", integer(4)}}},
                    // The learning rate is constant, so that nothing scales the slow momentum.
                    {.with = {{"slow_momentum", number(0.6)}, {"slow_learning_rate", number(0.9)}},
                     .algorithm = "slowmo",
                     .fields = {{"slow_momentum", number(0.6)}, {"slow_learning_rate", number(0.9)}}}}}};

}  // namespace
}  // namespace dasgd::test
