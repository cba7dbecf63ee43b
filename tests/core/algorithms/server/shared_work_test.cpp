// Workers that share the gradients of a run (train.work), over every backend.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/check.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

const std::vector<double> kSharedFactors{1, 2, 1.3};
const QuadraticProblem kSharedProblem{.workers = 3, .steps = 100, .rate = 0.01, .momentum = 0, .equalTargets = true};

Value shared(Value document, std::int64_t evalEvery = 1'000'000) {
    document.find("train")->set("work", text("shared"));
    document.find("train")->set("eval_every", integer(evalEvery));
    document.find("train")->set("batch_size", integer(1));
    return document;
}

// Steps of each worker.
std::vector<std::int64_t> stepsOf(const std::vector<RankRecord>& records) {
    std::vector<std::int64_t> steps;
    for (const RankRecord& record : records) {
        const auto losses = record.sink.metrics.find("train/loss");
        if (losses != record.sink.metrics.end()) steps.push_back(std::ssize(losses->second));
    }
    return steps;
}

// Every gradient of the run is made by one worker, and is in the server's weights once. A gradient is a sample here.
void expectEachOnce(const std::vector<RankRecord>& records, std::int64_t gradients) {
    std::multiset<std::int64_t> numbers;
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        const auto losses = record.sink.metrics.find("train/loss");
        if (losses == record.sink.metrics.end()) continue;
        for (const auto& point : losses->second) numbers.insert(point.samples);
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(gradients));
    std::iota(all.begin(), all.end(), 1);
    EXPECT_EQ(std::vector(numbers.begin(), numbers.end()), all);
    double taken = 0;
    for (const auto& point : records.back().sink.metrics.at("algorithm/gradients")) taken += point.value;
    EXPECT_EQ(taken, static_cast<double>(gradients));
    EXPECT_EQ(records.back().sink.metrics.at("algorithm/gradients").back().samples, gradients);
}

// Records of a worker belong to the run's step in which its gradient is: each has as many gradients as there are
// workers.
void expectAsManyEachStep(const std::vector<RankRecord>& records, std::int64_t steps) {
    std::map<std::int64_t, int> gradients;
    for (const RankRecord& record : records) {
        const auto losses = record.sink.metrics.find("train/loss");
        if (losses == record.sink.metrics.end()) continue;
        for (const auto& point : losses->second) {
            ++gradients[point.step];
            EXPECT_EQ(point.step, (point.samples + 2) / 3);
        }
        EXPECT_LE(record.outcome.step, steps);
    }
    ASSERT_EQ(std::ssize(gradients), steps);
    for (const auto& [step, count] : gradients) EXPECT_EQ(count, 3) << "step " << step;
}

struct Rule {
    std::string algorithm;
    Fields fields;
};
std::ostream& operator<<(std::ostream& to, const Rule& rule) { return to << rule.algorithm; }
const std::vector<Rule> kSharingRules{{"async_sgd", {}},
                                      {"ssp", {{"staleness", integer(0)}}},
                                      {"ssp", {{"staleness", integer(2)}}},
                                      {"psp", {{"sample", integer(2)}}},
                                      {"dssp", {{"staleness", integer(1)}, {"extra", integer(3)}}},
                                      {"sync_switch", {{"sync_steps", integer(20)}}},
                                      {"k_async", {{"gradients", integer(2)}}},
                                      {"elastic_bsp", {{"lookahead", integer(3)}}},
                                      {"backup_workers", {{"backup", integer(0)}}}};

class SharedWork : public ::testing::TestWithParam<Rule> {};

TEST_P(SharedWork, EveryGradientIsMadeOnce) {
    const auto& [algorithm, fields] = GetParam();
    for (const Backend backend : suiteBackends()) {
        const auto records = train(shared(servedBy(kSharedProblem, algorithm, fields), 10), backend);
        expectEachOnce(records, 300);
        expectAsManyEachStep(records, 100);
        const auto& evaluated = records.back().sink.metrics.at("eval/loss");
        // At the start and after each 30 gradients, but for those that a slow machine leaves out, which is said.
        EXPECT_EQ(evaluated.front().step, 0);
        EXPECT_EQ(evaluated.back().step, 100);
        const bool leftOut = std::ranges::any_of(records.back().sink.states, [](const auto& state) {
            return state.second.starts_with("left out the evaluation of step ");
        });
        EXPECT_EQ(evaluated.size() < 11, leftOut);
        EXPECT_LE(evaluated.size(), 11U);
        EXPECT_LT(evaluated.back().value, 0.5 * evaluated.front().value);
        EXPECT_EQ(records.back().sink.metrics.at("eval/beside_s").size(), evaluated.size());
        // Training begins behind the first evaluation and pauses for none.
        const auto& trained = records.back().sink.metrics.at("eval/trained_s");
        ASSERT_EQ(trained.size(), evaluated.size());
        ASSERT_GE(trained.size(), 2U);
        const double begun = static_cast<double>(trained[1].wall) * 1e-9 - trained[1].value;
        for (std::size_t i = 1; i < trained.size(); ++i) {
            EXPECT_GT(trained[i].value, trained[i - 1].value);
            EXPECT_NEAR(static_cast<double>(trained[i].wall) * 1e-9 - trained[i].value, begun, 1e-9);
        }
        // Weights of 3 doubles and the server's word to each worker, on average.
        EXPECT_NEAR(static_cast<double>(evaluated.back().bytesSent), 100 * (3 * 8 + 16), 2);
    }
}

// Nobody waits for an evaluation, so it changes nothing; the order of the gradients is that of the spans.
TEST_P(SharedWork, EvaluationsLeaveTheOrderAndTheSimulatedTimesOfGradientsAlone) {
    const auto& [algorithm, fields] = GetParam();
    const auto instants = [&](std::int64_t evalEvery) {
        return inChildProcess([&] {
            std::vector<double> all;
            const Value document = servedVirtuallyBy(kSharedProblem, algorithm, fields, kSharedFactors);
            for (const RankRecord& record : trainVirtually(shared(document, evalEvery))) {
                DASGD_CHECK(record.outcome.error.empty());
                for (const Span& span : record.sink.spans) {
                    all.insert(all.end(), {static_cast<double>(span.start), static_cast<double>(span.end)});
                }
            }
            return all;
        });
    };
    const auto evaluated = instants(1);
    EXPECT_GT(evaluated.size(), 300U * 2 * 3);
    EXPECT_EQ(evaluated, instants(1'000'000));
}

INSTANTIATE_TEST_SUITE_P(Rules, SharedWork, ::testing::ValuesIn(kSharingRules),
                         [](const auto& info) { return info.param.algorithm + "_" + std::to_string(info.index); });

// Speeds 1 : ½ : 1/1.3; a push and a pull take next to nothing.
TEST(SharedWorkOf, InSimulatedTimeAnAsynchronousServerIsInProportionToTheSpeeds) {
    const auto records = trainVirtually(shared(servedVirtuallyBy(kSharedProblem, "async_sgd", {}, kSharedFactors)));
    const auto steps = stepsOf(records);
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_NEAR(static_cast<double>(steps[0]) / static_cast<double>(steps[1]), 2, 0.1);
    EXPECT_NEAR(static_cast<double>(steps[0]) / static_cast<double>(steps[2]), 1.3, 0.05);
}

// Without a lead every worker makes every third gradient: the weights are those of equal steps.
TEST(SharedWorkOf, InSimulatedTimeABulkSynchronousServerIsThatOfEqualSteps) {
    const auto weights = [](const Value& document) {
        return inChildProcess([&] {
            std::vector<double> all;
            for (const Workers& step : workersOf(trainVirtually(document), kSharedProblem)) {
                for (const Vec& worker : step) all.insert(all.end(), worker.begin(), worker.end());
            }
            return all;
        });
    };
    const Value steps = servedVirtuallyBy(kSharedProblem, "ssp", {{"staleness", integer(0)}}, kSharedFactors);
    const auto equal = weights(steps);
    EXPECT_EQ(equal.size(), 101U * 3 * 3);
    EXPECT_EQ(weights(shared(steps)), equal);
}

// The server's weights after k · P gradients are evaluated: their loss by the weights that it recorded.
TEST(SharedWorkOf, InSimulatedTimeTheServersWeightsAreEvaluatedAsTheyWereThen) {
    for (const bool simulated : {true, false}) {
        const Value document = shared(servedVirtuallyBy(kSharedProblem, "async_sgd", {}, kSharedFactors), 5);
        const auto records =
            simulated ? trainVirtually(document) : train(shared(servedBy(kSharedProblem, "async_sgd", {}), 5));
        const RankRecord& server = records.back();
        for (const auto& evaluated : server.sink.metrics.at("eval/loss")) {
            Vec w;
            for (const char* name : {"weight/0", "weight/1", "weight/2"}) {
                const auto& points = server.sink.metrics.at(name);
                const auto at = std::ranges::find(points, evaluated.step, &MemorySink::Point::step);
                ASSERT_NE(at, points.end());
                w.push_back(at->value);
            }
            const Vec target = kSharedProblem.target(0), gradient = kSharedProblem.gradient(w, target);
            double loss = 0;
            for (std::size_t j = 0; j < w.size(); ++j) loss += 0.5 * (w[j] - target[j]) * gradient[j];
            EXPECT_NEAR(evaluated.value, loss, 1e-12) << "step " << evaluated.step;
            EXPECT_EQ(evaluated.samples, 3 * evaluated.step);
        }
        EXPECT_FALSE(server.sink.metrics.contains("consensus/distance")) << "no replicas are judged";
    }
}

// A stop is the server's to bring about: it lets nobody begin another gradient, and takes those that had begun.
TEST_P(SharedWork, AStopLeavesNoGradientBehind) {
    const auto& [algorithm, fields] = GetParam();
    for (const Backend backend : suiteBackends()) {
        StopAfter gate(40);
        const auto records =
            train(shared(servedBy(kSharedProblem, algorithm, fields)), backend, nullptr, {.gate = &gate});
        std::int64_t gradients = 0;
        for (const RankRecord& record : records) {
            EXPECT_EQ(record.outcome.error, "");
            EXPECT_EQ(record.outcome.kind, WorkerOutcome::Kind::Stopped);
        }
        for (const std::int64_t steps : stepsOf(records)) gradients += steps;
        EXPECT_GE(gradients, 120);
        EXPECT_LT(gradients, 130);
        expectEachOnce(records, gradients);
        const auto dropped = records.back().sink.metrics.find("algorithm/dropped");
        if (dropped == records.back().sink.metrics.end()) continue;
        for (const auto& point : dropped->second) EXPECT_EQ(point.value, 0) << "b = 0 drops nothing that is complete";
    }
}

TEST(SharedWorkOf, InSimulatedTimeATargetEndsTheRunForAll) {
    for (const bool simulated : {true, false}) {
        Value document = shared(simulated ? servedVirtuallyBy(kSharedProblem, "async_sgd", {}, kSharedFactors)
                                          : servedBy(kSharedProblem, "async_sgd", {}),
                                1);
        document.find("train")->set("steps", integer(2000));
        document.find("train")->set("target_loss", number(1));
        document.find("train")->set("stop_at_target", boolean(true));
        const auto records = simulated ? trainVirtually(document) : train(document);
        for (const RankRecord& record : records) {
            EXPECT_EQ(record.outcome.error, "");
            EXPECT_EQ(record.outcome.kind, WorkerOutcome::Kind::Finished);
            EXPECT_LT(record.outcome.step, 2000);
        }
        EXPECT_EQ(records.back().sink.metrics.at("run/target_reached").size(), 1U);
        const auto steps = stepsOf(records);
        expectEachOnce(records, std::accumulate(steps.begin(), steps.end(), std::int64_t{0}));
    }
}

}  // namespace
}  // namespace dasgd::test
