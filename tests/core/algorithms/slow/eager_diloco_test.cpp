#include <gmock/gmock.h>

#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

Fields eager(double momentum, double rate, bool nesterov = true, const char* name = "eager_diloco") {
    return {{"name", text(name)},
            {"outer_momentum", number(momentum)},
            {"outer_learning_rate", number(rate)},
            {"nesterov", boolean(nesterov)}};
}

// arXiv 2502.12996: each worker's outer gradient is ⟨Δ⟩ of the round before plus (Δᵢ − Δᵢ of the round before)/P.
Trajectory expectedOfEager(const QuadraticProblem& problem, double momentum, double rate, bool nesterov) {
    const auto workers = static_cast<std::size_t>(problem.workers);
    std::vector<SerialOuter> outer(
        workers, SerialOuter{.rate = rate, .momentum = momentum, .nesterov = nesterov, .theta = problem.start});
    Workers before(workers, Vec(problem.start.size(), 0));
    return serial(problem, [&](std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        const Vec stale = mean(before);
        for (std::size_t i = 0; i < workers; ++i) {
            for (std::size_t j = 0; j < stale.size(); ++j) {
                const double fresh = outer[i].theta[j] - w[i][j];
                outer[i].step(j, stale[j] + (fresh - before[i][j]) / static_cast<double>(workers));
                before[i][j] = fresh;
            }
            w[i] = outer[i].theta;
        }
    });
}

class EagerOracle : public testing::TestWithParam<std::tuple<Backend, std::tuple<double, double, bool>>> {};

TEST_P(EagerOracle, FollowsTheSerialRule) {
    const auto& [backend, setting] = GetParam();
    const auto& [momentum, rate, nesterov] = setting;
    expectSame(trained(kOuterProblem, eager(momentum, rate, nesterov), backend),
               expectedOfEager(kOuterProblem, momentum, rate, nesterov), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, EagerOracle,
                         testing::Combine(testing::ValuesIn(suiteBackends()),
                                          testing::Values(std::tuple(0.3, 0.5, true), std::tuple(0.2, 0.5, false),
                                                          std::tuple(0.0, 0.5, true))));

// The others' part is nothing, to the last bit. Without momentum DiLoCo interpolates instead: then to rounding.
TEST(EagerDiLoCo, AloneIsDiLoCo) {
    QuadraticProblem problem = kOuterProblem;
    problem.workers = 1;
    for (const bool nesterov : {false, true}) {
        expectSame(trained(problem, eager(0.9, 0.7, nesterov)), trained(problem, eager(0.9, 0.7, nesterov, "diloco")),
                   0);
    }
    expectSame(trained(problem, eager(0, 0.7)), trained(problem, eager(0, 0.7, true, "diloco")), 1e-12);
}

TEST(EagerDiLoCo, NeverWaitsWithinARound) {
    const std::vector<RankRecord> records = train(kOuterProblem.experiment(eager(0.9, 0.7)));
    for (const Span& span : records[0].sink.spans) {
        if (span.kind != SpanKind::Wait) continue;
        EXPECT_EQ(span.step % 4, 0);
    }
    const auto& staleness = records[0].sink.metrics.at("staleness/steps");
    ASSERT_EQ(staleness.size(), 49U) << "from the end of the second of 50 rounds on";
    for (const auto& point : staleness) EXPECT_EQ(point.value, 4);
}

}  // namespace
}  // namespace dasgd::test
