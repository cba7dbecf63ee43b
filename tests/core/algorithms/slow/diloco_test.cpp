#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/compression/settings.h"
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

// EDiT (arXiv 2412.07210): Δ = Σ aᵢΔᵢ with a = softmax(−‖Δᵢ‖/T), cut off at a norm of φ; the only parameter is the
// vector of weights. Outliers are pseudo_gradient_penalty_test's.
TEST(DiLoCo, WeighsOuterGradientsByTheirNorms) {
    for (const auto& [temperature, clip] : std::vector<std::pair<double, double>>{{1, 0}, {0.2, 0}, {1, 0.3}}) {
        SerialOuter outer{.rate = 0.7, .momentum = 0.9, .nesterov = true, .theta = kOuterProblem.start};
        const auto norm = [](const Vec& x) {
            double squares = 0;
            for (const double number : x) squares += number * number;
            return std::sqrt(squares);
        };
        const Trajectory expected =
            serial(kOuterProblem, [&, t = temperature, most = clip](std::int64_t k, Workers& w) {
                if (k % 4 != 0) return;
                Vec delta(3, 0);
                double sum = 0;
                for (const Vec& one : w) {
                    Vec own = outer.theta;
                    for (std::size_t j = 0; j < own.size(); ++j) own[j] -= one[j];
                    const double share = std::exp(-norm(own) / t);
                    sum += share;
                    for (std::size_t j = 0; j < own.size(); ++j) delta[j] += share * own[j];
                }
                for (double& number : delta) number /= sum;
                const double factor = most > 0 ? std::min(1.0, most / (norm(delta) + 1e-6)) : 1;
                for (std::size_t j = 0; j < delta.size(); ++j) outer.step(j, factor * delta[j]);
                w.assign(w.size(), outer.theta);
            });
        for (const Backend backend : oracleBackends()) {
            expectSame(trained(kOuterProblem,
                               {{"name", text("diloco")},
                                {"period", integer(4)},
                                {"penalty", boolean(true)},
                                {"penalty_temperature", number(temperature)},
                                {"penalty_clip", number(clip)}},
                               backend),
                       expected, 1e-10);
        }
    }
}

TEST(DiLoCo, RefusesToCodeWhatIsWeighed) {
    const auto made = AlgorithmRegistry::find("diloco")->create(table({{"penalty", boolean(true)}}), {"name"}).value();
    const CompressionSettings settings{
        .name = "e3m0", .compressor = CompressorRegistry::find("e3m0")->create(Value(Value::Table{}), {}).value()};
    const auto refused = dynamic_cast<const CompressesExchanges&>(*made).checkCompression(settings);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "algorithm.penalty");
    EXPECT_THAT(refused->message, testing::HasSubstr("set penalty = false, or remove [compression]"));
}

// The host reads several numbers an average.
const AlgorithmTrial::Add kPenaltyTrial{{.algorithm = "diloco",
                                         .fields = {{"period", integer(2)},
                                                    {"penalty", boolean(true)},
                                                    {"penalty_warmup", integer(2)},
                                                    {"penalty_threshold", number(0.5)},
                                                    {"penalty_clip", number(0.5)}},
                                         .what = "penalty",
                                         .snapshotPasses = 15,
                                         .mergePasses = 7,
                                         .hostReads = HostReads::EachStep}};

}  // namespace
}  // namespace dasgd::test
