// Synchronous SGD in front of every rule that can begin behind it.
#include "core/algorithms/sync_steps.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

// Synchronous steps; the number is no multiple of a period.
constexpr std::int64_t kFirst = 10;

Fields behind(const std::string& name, std::int64_t syncSteps) {
    return {{"name", text(name)}, {"sync_steps", integer(syncSteps)}};
}

Value bowlOf(const QuadraticProblem& problem, const AlgorithmTrial& trial, std::int64_t syncSteps = 0) {
    Value document = problem.experiment({});
    trial.putInto(document);
    if (syncSteps != 0) document.find("algorithm")->set("sync_steps", integer(syncSteps));
    return document;
}
Trajectory wayOf(const Value& document) { return recorded(train(document)); }
Trajectory syncSgdOf(const QuadraticProblem& problem) { return trained(problem, {{"name", text("sync_sgd")}}); }

class EveryRule : public testing::TestWithParam<AlgorithmTrial> {};

// Without momentum a run has no state but its weights, so that the second one can begin where the first one is.
TEST_P(EveryRule, BeginsBehindSynchronousStepsAsIfAtStepZero) {
    QuadraticProblem problem{.steps = 50, .momentum = 0, .weightDecay = 0.01};
    const Trajectory got = wayOf(bowlOf(problem, GetParam(), kFirst));
    problem.steps = kFirst;
    const Trajectory first = syncSgdOf(problem);
    expectSame({got.begin(), got.begin() + kFirst + 1}, first, 0);
    problem.start = first.back()[0];
    problem.steps = 50 - kFirst;
    expectSame({got.begin() + kFirst, got.end()}, wayOf(bowlOf(problem, GetParam())), 0);
}

TEST_P(EveryRule, IsSynchronousSgdWhereNoStepIsLeft) {
    const QuadraticProblem problem{.steps = 30};
    expectSame(wayOf(bowlOf(problem, GetParam(), 30)), syncSgdOf(problem), 0);
    expectSame(wayOf(bowlOf(problem, GetParam(), 1'000'000)), syncSgdOf(problem), 0);
}

TEST_P(EveryRule, HasNoSynchronousStepsUnlessTold) {
    const QuadraticProblem problem{.steps = 30};
    Value none = bowlOf(problem, GetParam());
    none.find("algorithm")->set("sync_steps", integer(0));
    const auto told = train(none);
    const auto plain = train(bowlOf(problem, GetParam()));
    expectSame(recorded(told), recorded(plain), 0);
    const auto bytes = [](const auto& of) { return of[0].sink.metrics.at("train/loss").back().bytesSent; };
    EXPECT_EQ(bytes(told), bytes(plain));
}

TEST_P(EveryRule, RefusesFewerThanNone) {
    const auto refused = readExperiment(bowlOf(QuadraticProblem{}, GetParam(), -1));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("sync_steps"));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryRule, testing::ValuesIn(trialsBehindSyncSteps()), trialName);

// Gradients are averaged in the first steps; momentum goes on across the change.
std::function<void(Workers&)> averagedFirst() {
    return [step = std::int64_t{0}](Workers& g) mutable {
        if (++step <= kFirst) g.assign(g.size(), mean(g));
    };
}

class SyncStepsOracle : public testing::TestWithParam<Backend> {};

TEST_P(SyncStepsOracle, TheDelayedMergeFollowsTheSerialRule) {
    const QuadraticProblem problem{.weightDecay = 0.01, .nesterov = true};
    SerialMerge merge{.period = 4, .delay = 3, .xi = 0.25, .c = 0.5, .snapshotAtZero = true};
    const auto weights = [&](std::int64_t k, Workers& w) {
        if (k == kFirst) merge.start(w);
        if (k > kFirst) merge(k - kFirst, w);
    };
    Fields fields = behind("dasgd", kFirst);
    fields.emplace_back("delay", integer(3));
    fields.emplace_back("correction", number(0.5));
    fields.emplace_back("snapshot_at_zero", boolean(true));
    expectSame(trained(problem, fields, GetParam()), serial(problem, weights, averagedFirst()), 1e-12);
}

TEST_P(SyncStepsOracle, TheOuterStepFollowsTheSerialRule) {
    SerialOuter outer{.rate = 0.7, .momentum = 0.5, .nesterov = true, .theta = kOuterProblem.start};
    const auto weights = [&](std::int64_t k, Workers& w) {
        if (k == kFirst) outer.theta = w[0];
        if (k <= kFirst || (k - kFirst) % 4 != 0) return;
        const Vec m = mean(w);
        for (std::size_t j = 0; j < m.size(); ++j) outer.step(j, outer.theta[j] - m[j]);
        w.assign(w.size(), outer.theta);
    };
    Fields fields = behind("diloco", kFirst);
    fields.emplace_back("outer_momentum", number(0.5));
    expectSame(trained(kOuterProblem, fields, GetParam()), serial(kOuterProblem, weights, averagedFirst()), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Backends, SyncStepsOracle, testing::ValuesIn(oracleBackends()));

// The centre of easgd has to move in the steps that are the rule's own.
TEST(SyncSteps, AreNotCountedAsTheRulesOwn) {
    const auto algorithm =
        readExperiment(QuadraticProblem{}.experiment(behind("easgd", kFirst))).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 4, .steps = kFirst + 3});
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->message, testing::HasSubstr("allowed: 1 to 3"));
    EXPECT_FALSE(algorithm->check({.workers = 4, .steps = kFirst + 4}));
}

// Gradients of 10 steps, then weights 4 and 8 steps behind them: no bucket leaves from step 11 on.
TEST(SyncSteps, SendGradientsAndThenWeightsAlone) {
    const QuadraticProblem problem{.steps = 20};
    const auto records = train(problem.experiment(behind("local_sgd", kFirst)));
    std::vector<std::int64_t> steps;
    for (const Span& span : records[0].sink.spans) {
        if (span.kind == SpanKind::Reduce) steps.push_back(span.step);
    }
    EXPECT_THAT(steps, testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 18));
}

}  // namespace
}  // namespace dasgd::test
