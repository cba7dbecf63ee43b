#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields localSgd(std::int64_t period) { return {{"name", text("local_sgd")}, {"period", integer(period)}}; }

class LocalSgdOracle : public testing::TestWithParam<std::tuple<Backend, int, int>> {};

// Stich, arXiv 1805.09767: after every τ-th step all weights are their mean.
TEST_P(LocalSgdOracle, AveragesEveryPeriod) {
    const auto& [backend, workers, period] = GetParam();
    const QuadraticProblem problem{.workers = workers, .weightDecay = 0.01, .nesterov = true};
    const Trajectory expected = serial(problem, [period = period](std::int64_t k, Workers& w) {
        if (k % period == 0) w.assign(w.size(), mean(w));
    });
    expectSame(recorded(train(problem.experiment(localSgd(period)), backend)), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, LocalSgdOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4, 7),
                                          testing::Values(1, 4, 5)));

TEST(LocalSgd, AveragesTheMomentumToo) {
    const QuadraticProblem problem{.workers = 4};
    const auto rule = [](std::int64_t k, Workers& all) {
        if (k % 4 == 0) all.assign(all.size(), mean(all));
    };
    Fields algorithm = localSgd(4);
    algorithm.emplace_back("optimizer_state", text("average"));
    const std::vector<RankRecord> records = train(problem.experiment(algorithm));
    expectSame(recorded(records), serial(problem, rule, nullptr, rule), 1e-12);
    const std::vector<RankRecord> kept = train(problem.experiment(localSgd(4)));
    const auto bytes = [](const auto& of) { return of[0].sink.metrics.at("train/loss").back().bytesSent; };
    EXPECT_EQ(bytes(records), 2 * bytes(kept)) << "what is averaged is sent";
}

// AdamW in plain doubles, in torch's order, on the workers' own objectives; `average(k, w, m, v)` after step k.
Trajectory serialAdamw(const QuadraticProblem& problem,
                       const std::function<void(std::int64_t, Workers&, Workers&, Workers&)>& average) {
    constexpr double kRate = 0.1, kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8, kDecay = 0.01;
    Workers w(static_cast<std::size_t>(problem.workers), problem.start);
    Workers m(w.size(), Vec(problem.start.size(), 0)), v = m;
    Trajectory all{w};
    for (std::int64_t k = 1; k <= problem.steps; ++k) {
        for (std::size_t i = 0; i < w.size(); ++i) {
            const Vec g = problem.gradient(w[i], problem.target(static_cast<int>(i)));
            for (std::size_t j = 0; j < g.size(); ++j) {
                w[i][j] *= 1 - kRate * kDecay;
                m[i][j] = kBeta1 * m[i][j] + (1 - kBeta1) * g[j];
                v[i][j] = kBeta2 * v[i][j] + (1 - kBeta2) * g[j] * g[j];
                const auto steps = static_cast<double>(k);
                const double mean = m[i][j] / (1 - std::pow(kBeta1, steps));
                const double square = v[i][j] / (1 - std::pow(kBeta2, steps));
                w[i][j] -= kRate * mean / (std::sqrt(square) + kEpsilon);
            }
        }
        average(k, w, m, v);
        all.push_back(w);
    }
    return all;
}

// DES-LOC (arXiv 2505.22549): weights, mean and mean square are averaged after the steps that their own periods divide.
TEST(LocalSgd, AveragesEachMomentAtItsOwnPeriod) {
    const QuadraticProblem problem{.workers = 3, .steps = 60};
    const auto experiment = [&](const std::vector<std::int64_t>& periods) {
        Fields algorithm = localSgd(4);
        algorithm.emplace_back("optimizer_state", text("average"));
        if (!periods.empty()) algorithm.emplace_back("state_periods", array<std::int64_t>(periods));
        Value document = problem.experiment(algorithm);
        document.set("optimizer", table({{"name", text("adamw")}, {"learning_rate", number(0.1)}}));
        return document;
    };
    const std::vector<RankRecord> records = train(experiment({3, 2}));
    const auto whenever = [](std::int64_t k, std::int64_t period, Workers& all) {
        if (k % period == 0) all.assign(all.size(), mean(all));
    };
    const Trajectory expected = serialAdamw(problem, [&](std::int64_t k, Workers& w, Workers& m, Workers& v) {
        whenever(k, 4, w);
        whenever(k, 12, m);
        whenever(k, 8, v);
    });
    expectSame(recorded(records), expected, 1e-9);
    const auto bytes = [](const auto& of) { return of[0].sink.metrics.at("train/loss").back().bytesSent; };
    const std::vector<RankRecord> always = train(experiment({}));
    EXPECT_NEAR(static_cast<double>(bytes(records)) / static_cast<double>(bytes(always)), (15.0 + 5 + 7) / 45, 1e-9);
    expectSame(recorded(train(experiment({1, 1}))), recorded(always), 0);
    expectSame(recorded(train(experiment({1}))), recorded(always), 0);
}

TEST(LocalSgd, RefusesPeriodsOfAStateThatIsNotThere) {
    const QuadraticProblem problem{.workers = 2};
    Fields algorithm = localSgd(4);
    algorithm.emplace_back("state_periods", array<std::int64_t>({3}));
    const auto refused = readExperiment(problem.experiment(algorithm));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("set optimizer_state = \"average\""));
    algorithm.emplace_back("optimizer_state", text("average"));
    const auto made = AlgorithmRegistry::find("local_sgd")->create(table(algorithm), {"name"}).value();
    EXPECT_FALSE(made->check({.optimizerState = 1}));
    EXPECT_FALSE(made->check({.optimizerState = 2})) << "the last number holds for the rest";
    const FieldError none = made->check({.optimizerState = 0}).value();
    EXPECT_EQ(none.field, "state_periods");
    EXPECT_THAT(none.message, testing::HasSubstr("keeps 0 tensors: remove it"));
    algorithm[algorithm.size() - 2].second = array<std::int64_t>({3, 6});
    const auto two = AlgorithmRegistry::find("local_sgd")->create(table(algorithm), {"name"}).value();
    EXPECT_THAT(two->check({.optimizerState = 1}).value().message,
                testing::HasSubstr("give 1 at most; the last one holds for the rest"));
}

TEST(LocalSgd, OneWorkerIsPlainSgd) {
    const QuadraticProblem problem{.workers = 1};
    expectSame(recorded(train(problem.experiment(localSgd(4)))),
               recorded(train(problem.experiment({{"name", text("independent")}}))), 0);
}

TEST(LocalSgd, PeriodOneIsSynchronousSgd) {
    const QuadraticProblem problem{.workers = 4, .dampening = 0.1, .weightDecay = 0.01};
    expectSame(recorded(train(problem.experiment(localSgd(1)))),
               recorded(train(problem.experiment({{"name", text("sync_sgd")}}))), 1e-11);
}

TEST(LocalSgd, NothingOverlapsAndTheWaitIsSeen) {
    const QuadraticProblem problem{.workers = 2, .steps = 17};
    const std::vector<RankRecord> records = train(problem.experiment(localSgd(4)));
    int reduces = 0;
    for (const Span& span : records[0].sink.spans) {
        reduces += span.kind == SpanKind::Reduce ? 1 : 0;
        EXPECT_NE(span.kind, SpanKind::Merge);
    }
    EXPECT_EQ(reduces, 4);
    EXPECT_EQ(overlapOf(records[0]).hidden, 0);
}

const AlgorithmTrial::Add kLocalSgdTrial{
    {.algorithm = "local_sgd",
     .fields = {{"period", integer(4)}},
     .rule = [](const SerialView& view) { return merges({.period = 4, .delay = 0, .xi = 0, .c = 0}, view); },
     // The weights themselves travel.
     .mergePasses = 0}};

}  // namespace
}  // namespace dasgd::test
