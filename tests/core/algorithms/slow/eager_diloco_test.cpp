#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
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
                         testing::Combine(testing::ValuesIn(oracleBackends()),
                                          testing::Values(std::tuple(0.3, 0.5, true), std::tuple(0.2, 0.5, false),
                                                          std::tuple(0.0, 0.5, true))));

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

// ⟨Δ⟩ of the round before + (Δᵢ − Δᵢ of the round before)/P.
SerialRule stepsEagerly(const SerialView& view) {
    const Vectors zero(view.workers, torch::zeros_like(view.start));
    std::vector<SerialOuterSgd> outer(view.workers, outerOf(view));
    return {.weights = [outer = std::move(outer), before = zero](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        const at::Tensor stale = meanOf(before);
        for (std::size_t i = 0; i < w.size(); ++i) {
            const at::Tensor fresh = outer[i].theta - w[i];
            outer[i].step(stale + (fresh - before[i]) / static_cast<double>(w.size()));
            before[i] = fresh;
            w[i] = outer[i].theta;
        }
    }};
}

const AlgorithmTrial::Add kEagerTrial{
    {.algorithm = "eager_diloco",
     .fields = {{"period", integer(4)}, {"outer_learning_rate", number(0.7)}, {"outer_momentum", number(0.9)}},
     .rule = &stepsEagerly,
     // The pass of the outer step forms what leaves.
     .snapshotPasses = 0,
     .identities = {
         // With one worker the others' part is nothing. Without momentum DiLoCo interpolates instead, so it is equal to
         // rounding.
         {.with = {{"outer_momentum", number(0.9)}, {"outer_learning_rate", number(0.7)}, {"nesterov", boolean(false)}},
          .algorithm = "diloco",
          .fields = {{"outer_momentum", number(0.9)},
                     {"outer_learning_rate", number(0.7)},
                     {"nesterov", boolean(false)}},
          .workers = {1}},
         {.with = {{"outer_momentum", number(0.9)}, {"outer_learning_rate", number(0.7)}, {"nesterov", boolean(true)}},
          .algorithm = "diloco",
          .fields = {{"outer_momentum", number(0.9)},
                     {"outer_learning_rate", number(0.7)},
                     {"nesterov", boolean(true)}},
          .workers = {1}},
         {.with = {{"outer_momentum", number(0)}, {"outer_learning_rate", number(0.7)}, {"nesterov", boolean(true)}},
          .algorithm = "diloco",
          .fields = {{"outer_momentum", number(0)}, {"outer_learning_rate", number(0.7)}, {"nesterov", boolean(true)}},
          .workers = {1},
          .tolerance = 1e-12}}}};

}  // namespace
}  // namespace dasgd::test
