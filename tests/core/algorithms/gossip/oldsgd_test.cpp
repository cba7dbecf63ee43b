#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields oldsgd(std::int64_t period) { return {{"name", text("oldsgd")}, {"period", integer(period)}}; }

// W of a ring: a worker and its neighbours with equal weights.
Vec mixed(const Workers& x, std::size_t i) {
    const std::size_t size = x.size();
    std::vector<std::size_t> members{i};
    for (const std::size_t other : {(i + size - 1) % size, (i + 1) % size}) {
        if (std::find(members.begin(), members.end(), other) == members.end()) members.push_back(other);
    }
    Workers chosen;
    for (const std::size_t member : members) chosen.push_back(x[member]);
    return mean(chosen);
}

class OldsgdOracle : public testing::TestWithParam<std::tuple<Backend, int, std::int64_t>> {};

// x(t) = Σⱼ Wᵢⱼ xⱼ(t−τ) + the local steps of the last period.
TEST_P(OldsgdOracle, AddsLocalStepsToWhatTheNeighboursHad) {
    const auto& [backend, workers, period] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 200, .weightDecay = 0.01, .nesterov = true};
    Workers before(static_cast<std::size_t>(workers), problem.start);
    const Trajectory expected = serial(problem, [&, period = period](std::int64_t k, Workers& x) {
        if (k % period != 0) return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec m = mixed(before, i);
            for (std::size_t j = 0; j < m.size(); ++j) x[i][j] = m[j] + (x[i][j] - before[i][j]);
        }
        before = x;
    });
    expectSame(recorded(train(problem.experiment(oldsgd(period)), backend)), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OldsgdOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 3, 4, 7),
                                          testing::Values(1, 4)));

TEST(Oldsgd, LeavesTheMeanOfTheWorkersAlone) {
    const QuadraticProblem problem{.workers = 6, .steps = 60, .momentum = 0};
    const Trajectory free = recorded(train(problem.experiment({{"name", text("independent")}})));
    const Trajectory merged = recorded(train(problem.experiment(oldsgd(4))));
    for (std::size_t k = 0; k < free.size(); ++k) {
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mean(merged[k])[j], mean(free[k])[j], 1e-11) << "step " << k;
    }
}

// With everybody a neighbour the mixture is the mean.
TEST(Oldsgd, OfThreeWorkersIsCocodSgd) {
    const QuadraticProblem problem{.workers = 3, .steps = 60};
    const Fields cocod{{"name", text("cocod_sgd")}, {"period", integer(4)}};
    expectSame(recorded(train(problem.experiment(oldsgd(4)))), recorded(train(problem.experiment(cocod))), 1e-12);
}

TEST(Oldsgd, SendsTheWeightsToTwoNeighboursAPeriod) {
    const QuadraticProblem problem{.workers = 6, .steps = 17};
    const std::vector<RankRecord> records = train(problem.experiment(oldsgd(4)));
    // At steps 0, 4, 8, 12, 16.
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 5 * 2 * flatBytes(3));
    int operations = 0;
    for (const Span& span : records[0].sink.spans) {
        if (span.kind != SpanKind::Reduce) continue;
        ++operations;
        EXPECT_EQ(span.bytes, flatBytes(3));
        EXPECT_EQ(span.step % 4, 0);
    }
    // Each merged exchange is two messages sent and two received, or, between GPUs, one operation for all.
    EXPECT_GE(operations, 4 * (runElsewhere() ? 1 : 4));
}

// x(t) = Σⱼ Wᵢⱼ·xⱼ(t−τ) + the local steps since; W of a ring of more than two.
SerialRule mixesOnARing(const SerialView& view) {
    return {.weights = [before = Vectors(view.workers, view.start)](std::int64_t k, Vectors& x) mutable {
        if (k % 4 != 0) return;
        const std::size_t size = x.size();
        for (std::size_t i = 0; i < size; ++i) {
            const at::Tensor mixed = (before[i] + before[(i + 1) % size] + before[(i + size - 1) % size]) / 3;
            x[i] = mixed + (x[i] - before[i]);
        }
        before = x;
    }};
}

const AlgorithmTrial::Add kOldsgdTrial{
    {.algorithm = "oldsgd", .fields = {{"period", integer(4)}}, .rule = &mixesOnARing}};

}  // namespace
}  // namespace dasgd::test
