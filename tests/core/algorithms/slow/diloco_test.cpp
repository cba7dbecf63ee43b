#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

Fields diloco(double momentum, double rate, bool nesterov = true, std::int64_t period = 5) {
    return {{"name", text("diloco")},
            {"period", integer(period)},
            {"outer_momentum", number(momentum)},
            {"outer_learning_rate", number(rate)},
            {"nesterov", boolean(nesterov)}};
}

// arXiv 2311.08105: the outer optimiser steps along ⟨θ − w⟩.
Trajectory expectedOf(const QuadraticProblem& problem, double momentum, double rate, bool nesterov) {
    SerialOuter outer{.rate = rate, .momentum = momentum, .nesterov = nesterov, .theta = problem.start};
    return serial(problem, [&](std::int64_t k, Workers& w) {
        if (k % 5 != 0) return;
        for (std::size_t j = 0; j < outer.theta.size(); ++j) {
            double gradient = 0;
            for (const Vec& one : w) gradient += (outer.theta[j] - one[j]) / static_cast<double>(w.size());
            outer.step(j, gradient);
        }
        w.assign(w.size(), outer.theta);
    });
}

class DiLoCoOracle : public testing::TestWithParam<std::tuple<Backend, std::tuple<double, double, bool, bool>>> {};

TEST_P(DiLoCoOracle, FollowsTheSerialRule) {
    const auto& [backend, setting] = GetParam();
    const auto& [momentum, rate, nesterov, innerNesterov] = setting;
    QuadraticProblem problem = kOuterProblem;
    problem.nesterov = innerNesterov;
    expectSame(trained(problem, diloco(momentum, rate, nesterov), backend),
               expectedOf(problem, momentum, rate, nesterov), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, DiLoCoOracle,
    testing::Combine(testing::ValuesIn(oracleBackends()),
                     testing::Values(std::tuple(0.9, 0.7, true, false), std::tuple(0.9, 1.0, true, true),
                                     std::tuple(0.9, 0.7, false, true), std::tuple(0.0, 0.7, true, false))));

// The round is all that leaves: one all-reduce of the weights each period.
TEST(DiLoCo, SendsOneAllReduceARound) {
    const std::vector<RankRecord> records = train(kOuterProblem.experiment(diloco(0.9, 0.7)));
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 200 / 5 * 2 * flatBytes(3) * 3 / 4);
    EXPECT_EQ(overlapOf(records[0]).hidden, 0);
}

SerialRule stepsOutside(const SerialView& view) {
    return {.weights = [outer = outerOf(view)](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        outer.step(outer.theta - meanOf(w));
        w.assign(w.size(), outer.theta);
    }};
}

const AlgorithmTrial::Add kDiLoCoTrial{
    {.algorithm = "diloco",
     .fields = {{"period", integer(4)}, {"outer_learning_rate", number(0.7)}, {"outer_momentum", number(0.9)}},
     .rule = &stepsOutside,
     .identities = {{.with = {{"period", integer(5)},
                              {"outer_momentum", number(0)},
                              {"outer_learning_rate", number(1)},
                              {"nesterov", boolean(true)}},
                     .algorithm = "local_sgd",
                     .fields = {{"period", integer(5)}}}}}};

}  // namespace
}  // namespace dasgd::test
