#include <gmock/gmock.h>

#include <iterator>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields overlap(std::int64_t period, double pull, double momentum, double slowRate = 1) {
    return {{"name", text("overlap_local_sgd")},
            {"period", integer(period)},
            {"pull", number(pull)},
            {"slow_momentum", number(momentum)},
            {"slow_learning_rate", number(slowRate)}};
}

struct Anchor {
    std::int64_t period;
    double pull, momentum, slowRate = 1;
};

class OverlapOracle : public testing::TestWithParam<std::tuple<Backend, int, Anchor>> {};

// x = (1−α)x + αz; u = βu + (z−x)/η; z = ⟨z − aηu⟩.
TEST_P(OverlapOracle, PullsTheWorkersToAnAnchorWithMomentum) {
    const auto& [backend, workers, s] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 200, .rate = 0.05, .momentum = 0.5, .weightDecay = 0.01, .nesterov = true};
    Vec z = problem.start;
    Workers u(static_cast<std::size_t>(workers), Vec(z.size(), 0));
    const Trajectory expected = serial(problem, [&, s = s](std::int64_t k, Workers& x) {
        if (k % s.period != 0) return;
        Workers leaving = x;
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < z.size(); ++j) {
                x[i][j] = (1 - s.pull) * x[i][j] + s.pull * z[j];
                u[i][j] = s.momentum * u[i][j] + (z[j] - x[i][j]) / problem.rate;
                leaving[i][j] = z[j] - s.slowRate * problem.rate * u[i][j];
            }
        }
        z = mean(leaving);
    });
    const Fields fields = overlap(s.period, s.pull, s.momentum, s.slowRate);
    expectSame(recorded(train(problem.experiment(fields), backend)), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, OverlapOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 4, 7),
                                          testing::Values(Anchor{4, 0.6, 0.7}, Anchor{2, 0.2, 0}, Anchor{1, 0.8, 0.3},
                                                          Anchor{3, 0.5, 0.5, 0.8})));

// A schedule: u is what η divides, so that its part in the anchor's step follows the new η. At η = 0, where u has no
// value, ηu is z − x alone, and behind it u begins anew, as slow_average's does.
TEST(OverlapLocalSgd, SlowStepsFollowTheLearningRate) {
    const std::vector<double> rates{0.1, 0.3, 0.2, 0.4, 0, 0, 0.2, 0.1, 0};
    const auto set = [](std::int64_t k) { return 1.0 + 0.5 * static_cast<double>(k * k); };
    driveAlgorithm(overlap(1, 0.5, 0.7), 2, [&](StepContext& context, Algorithm& algorithm) {
        at::Tensor& weights = context.params().weights();
        weights.fill_(set(0));
        algorithm.start(context);
        double z = set(0), u = 0;
        for (std::int64_t k = 1; k <= std::ssize(rates); ++k) {
            const double rate = rates[static_cast<std::size_t>(k - 1)];
            context.moveTo(k, rate);
            weights.fill_(set(k));
            algorithm.afterStep(context);
            const double x = 0.5 * set(k) + 0.5 * z;
            EXPECT_NEAR(weights[0].item<double>(), x, 1e-12) << "step " << k;
            if (rate == 0) {
                u = 0;
                z = x;
                continue;
            }
            u = 0.7 * u + (z - x) / rate;
            z -= rate * u;
        }
    });
}

TEST(OverlapLocalSgd, RefusesFieldsOutOfRange) {
    for (const auto& [fields, field] : std::vector<std::pair<Fields, std::string>>{
             {overlap(4, 1.5, 0), "pull"}, {overlap(4, 0.5, 1), "slow_momentum"}, {overlap(0, 0.5, 0), "period"}}) {
        const auto refused = readExperiment(QuadraticProblem{}.experiment(fields));
        ASSERT_FALSE(refused) << field;
        EXPECT_THAT(refused.error().message, testing::HasSubstr(field));
    }
}

// x = (1−α)x + αz; u = βu + (z−x)/η; z = ⟨z−ηu⟩. α = 0.6, β = 0.7.
SerialRule pullsToAnchor(const SerialView& view) {
    Vectors zero(view.workers, torch::zeros_like(view.start));
    return {.weights = [eta = view.rate, z = view.start, u = std::move(zero)](std::int64_t k, Vectors& x) mutable {
        if (k % 4 != 0) return;
        Vectors leaving;
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = x[i] * 0.4 + z * 0.6;
            u[i] = u[i] * 0.7 + (z - x[i]) / eta;
            leaving.push_back(z - u[i] * eta);
        }
        z = meanOf(leaving);
    }};
}

const AlgorithmTrial::Add kOverlapTrial{
    {.algorithm = "overlap_local_sgd",
     .fields = {{"period", integer(4)}, {"pull", number(0.6)}, {"slow_momentum", number(0.7)}},
     .rule = &pullsToAnchor,
     .hostReads = HostReads::OfItsOwn,
     .identities = {{.with = {{"period", integer(4)}, {"pull", number(0)}, {"slow_momentum", number(0.7)}},
                     .algorithm = "independent"},
                    // A2.9: without slow momentum the anchor is the mean of the workers.
                    {.with = {{"period", integer(4)}, {"pull", number(0.6)}, {"slow_momentum", number(0)}},
                     .algorithm = "dasgd",
                     .fields = {{"period", integer(4)},
                                {"delay", integer(4)},
                                {"local_weight", number(1 - 0.6)},
                                {"snapshot_at_zero", boolean(true)}}}}}};

}  // namespace
}  // namespace dasgd::test
