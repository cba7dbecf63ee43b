// Every trial of an algorithm, with 1, 2 and 4 ranks that train, takes the way that it takes on threads: over Gloo and,
// where the suite runs on it (tests/support/nccl/suite_backend.cpp), over NCCL. The oracles say what that way has to
// be.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

using Case = std::tuple<AlgorithmTrial, int>;

// `trainers` of the ranks train.
Value bowlOf(const AlgorithmTrial& trial, int trainers) {
    QuadraticProblem problem{.workers = trainers, .steps = 40, .rate = 0.02};
    // In any order the way leads down where the workers' minima are one, and stale gradients gather no momentum.
    if (!trial.repeats) {
        problem.momentum = 0;
        problem.equalTargets = true;
    }
    Value document = problem.experiment({});
    trial.putInto(document);
    document.find("cluster")->set("workers", integer(trial.ranksFor(trainers)));
    return document;
}

Trajectory onThreads(const Value& document) {
    const RunElsewhere elsewhere = std::exchange(runElsewhere(), nullptr);
    const auto records = train(document);
    runElsewhere() = elsewhere;
    return recorded(records);
}

// A number that comes twice is two collectives to one rank, and one to whoever adds up how long all waited for it.
void expectEachNumberOnce(const RankRecord& record) {
    std::set<std::uint64_t> numbers;
    for (const Span& span : record.sink.spans) {
        if (span.kind != SpanKind::Reduce || span.collective == 0) continue;
        EXPECT_TRUE(numbers.insert(span.collective).second) << "number " << span.collective << ", step " << span.step;
    }
}

class EveryBackend : public testing::TestWithParam<Case> {};

TEST_P(EveryBackend, TakesTheWayOfThreads) {
    const auto& [trial, trainers] = GetParam();
    const Value document = bowlOf(trial, trainers);
    const auto records = train(document, runElsewhere() ? Backend::Threads : Backend::Gloo);
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        expectEachNumberOnce(record);
    }
    if (trial.repeats) {
        const Trajectory got = recorded(records);
        EXPECT_NE(got.front(), got.back()) << "it trains";
        // Sums of the ranks' numbers, and on a device those of a gradient, are in another order.
        expectSame(got, onThreads(document), 1e-12);
        return;
    }
    const auto& losses = records[0].sink.metrics.at("train/loss");
    EXPECT_LT(losses.back().value, losses.front().value) << "in any order";
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryBackend,
                         testing::Combine(testing::ValuesIn(trialsThatTrain()), testing::Values(1, 2, 4)),
                         [](const auto& info) {
                             return std::get<0>(info.param).name() + "_" + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace dasgd::test
