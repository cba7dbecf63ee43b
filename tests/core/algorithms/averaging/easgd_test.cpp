#include <gmock/gmock.h>

#include "core/algorithms/extensions.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields easgd(std::int64_t period, double pull) {
    return {{"name", text("easgd")}, {"period", integer(period)}, {"pull", number(pull)}};
}

// xᵢ = (1−α)xᵢ + αz; z = (1−Pα)z + αΣxᵢ, both of the old values.
struct SerialElastic {
    std::int64_t period;
    double alpha;
    Vec z;

    void operator()(std::int64_t k, Workers& x) {
        if (k % period != 0) return;
        for (std::size_t j = 0; j < z.size(); ++j) {
            double sum = 0;
            for (Vec& one : x) {
                sum += one[j];
                one[j] = (1 - alpha) * one[j] + alpha * z[j];
            }
            z[j] = (1 - static_cast<double>(x.size()) * alpha) * z[j] + alpha * sum;
        }
    }
};

double lossAt(const QuadraticProblem& problem, const Vec& w) {
    double sum = 0;
    for (int i = 0; i < problem.workers; ++i) {
        const Vec b = problem.target(i);
        const Vec g = problem.gradient(w, b);
        for (std::size_t j = 0; j < w.size(); ++j) sum += 0.5 * g[j] * (w[j] - b[j]);
    }
    return sum / problem.workers;
}

class EasgdOracle : public testing::TestWithParam<std::tuple<Backend, int, std::int64_t, double>> {};

TEST_P(EasgdOracle, PullsWorkersAndCentreToEachOther) {
    const auto& [backend, workers, period, pull] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 200, .weightDecay = 0.01, .nesterov = true};
    SerialElastic rule{.period = period, .alpha = pull, .z = problem.start};
    const Trajectory expected = serial(problem, std::ref(rule));
    const std::vector<RankRecord> records = train(problem.experiment(easgd(period, pull)), backend);
    expectSame(recorded(records), expected, 1e-12);
    EXPECT_NEAR(records[0].sink.metrics.at("eval/loss").back().value, lossAt(problem, rule.z), 1e-9)
        << "the centre is evaluated";
}

INSTANTIATE_TEST_SUITE_P(Settings, EasgdOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 4, 7),
                                          testing::Values(1, 4), testing::Values(0.03, 0.1, 1.0 / 7)));

// Without gradients a pull moves as much from the workers to the centre as back, and their distance ⟨x⟩ − z shrinks by
// 1 − (P + 1)α, up to the largest pull that is allowed, Pα = 1.
TEST(Easgd, ConservesWorkersAndCentreTogether) {
    constexpr int kRanks = 4;
    for (const double pull : {0.05, 0.2, 1.0 / kRanks}) {
        driveAlgorithm(easgd(1, pull), kRanks, [&](StepContext& context, Algorithm& algorithm) {
            at::Tensor& weights = context.params().weights();
            weights.fill_(2);
            algorithm.start(context);
            weights.fill_(static_cast<double>(context.comm().rank().value()));
            const double total = 0 + 1 + 2 + 3 + 2;
            double gap = 1.5 - 2;
            for (std::int64_t k = 1; k <= 12; ++k) {
                context.moveTo(k, 0.1);
                algorithm.afterStep(context);
                gap *= 1 - (kRanks + 1) * pull;
                const at::Tensor part = dynamic_cast<NamesWeights&>(algorithm).namedWeights(context);
                at::Tensor sums = torch::tensor({weights[0].item<double>(), part[0].item<double>()}, at::kDouble);
                Pending pending = context.comm().allReduce(sums, Reduce::Sum);
                pending.wait();
                const double workers = sums[0].item<double>(), centre = sums[1].item<double>();
                EXPECT_NEAR(workers + centre, total, 1e-12) << "pull " << pull << ", step " << k;
                EXPECT_NEAR(workers / kRanks - centre, gap, 1e-12) << "pull " << pull << ", step " << k;
            }
        });
    }
}

// An evaluation between two exchanges is of the centre of the newest one, which no rank has received yet.
TEST(Easgd, EvaluationsAreOfTheNewestCentre) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .weightDecay = 0.01};
    SerialElastic rule{.period = 4, .alpha = 0.1, .z = problem.start};
    std::vector<double> losses{lossAt(problem, rule.z)};
    serial(problem, [&](std::int64_t k, Workers& x) {
        rule(k, x);
        losses.push_back(lossAt(problem, rule.z));
    });
    Value document = problem.experiment(easgd(4, 0.1));
    document.find("train")->set("eval_every", integer(3));
    const std::vector<RankRecord> records = train(document);
    const auto& evaluated = records[0].sink.metrics.at("eval/loss");
    EXPECT_EQ(evaluated.size(), 21U);
    for (const auto& point : evaluated) {
        EXPECT_NEAR(point.value, losses[static_cast<std::size_t>(point.step)], 1e-9) << "step " << point.step;
    }
}

TEST(Easgd, RefusesAPullThatOvershoots) {
    const auto algorithm =
        readExperiment(QuadraticProblem{.workers = 4}.experiment(easgd(4, 0.3))).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 4});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "pull");
    EXPECT_THAT(refused->message, testing::HasSubstr("allowed: 0 to 1 / workers (0.25"));
    EXPECT_FALSE(algorithm->check({.workers = 3}));
}

// The first exchange is after step `period`.
TEST(Easgd, RefusesARunThatEndsBeforeTheCentreMoves) {
    const auto algorithm =
        readExperiment(QuadraticProblem{.workers = 2}.experiment(easgd(4, 0.3))).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 2, .steps = 3});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "period");
    EXPECT_THAT(refused->message, testing::HasSubstr("a worker makes 3 steps"));
    EXPECT_FALSE(algorithm->check({.workers = 2, .steps = 4}));
}

// x = (1−α)x + αz; z = (1−Pα)z + αΣx, both of the old values. α = 0.1.
SerialRule pullsElastically(const SerialView& view) {
    return {.weights = [z = view.start](std::int64_t k, Vectors& x) mutable {
        if (k % 4 != 0) return;
        const at::Tensor sum = torch::stack(x).sum(0), old = z;
        z = old * (1 - 0.1 * static_cast<double>(x.size())) + sum * 0.1;
        for (at::Tensor& one : x) one = one * 0.9 + old * 0.1;
    }};
}

const AlgorithmTrial::Add kEasgdTrial{
    {.algorithm = "easgd",
     .fields = {{"period", integer(4)}, {"pull", number(0.1)}},
     .rule = &pullsElastically,
     .identities = {{.with = {{"period", integer(4)}, {"pull", number(0)}}, .algorithm = "independent"}}}};

}  // namespace
}  // namespace dasgd::test
