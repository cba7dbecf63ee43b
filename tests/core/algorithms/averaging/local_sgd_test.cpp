#include <gmock/gmock.h>

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
