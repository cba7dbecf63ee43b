// Every trial of an algorithm in simulated time: the weights of the real backends, and times that evaluations leave
// alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

Value bowlOn(const std::string& backend, const AlgorithmTrial& trial, int ranks) {
    Value document = quadratic(trial.algorithm, ranks, backend);
    trial.putInto(document);
    return document;
}

// Losses and weights of every rank after each step, and what rank 0 found in evaluations.
struct Outcome {
    std::vector<std::vector<double>> losses;
    std::vector<std::vector<double>> weights;
};

Outcome outcomeOf(const std::vector<RankRecord>& records) {
    Outcome outcome;
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        std::vector<double> losses, weights;
        for (const auto& point : record.sink.metrics.at("train/loss")) losses.push_back(point.value);
        for (const char* name : {"weight/0", "weight/1"}) {
            for (const auto& point : record.sink.metrics.at(name)) weights.push_back(point.value);
        }
        for (const char* name : {"eval/loss", "eval/replica_accuracy", "consensus/distance"}) {
            const auto evaluated = record.sink.metrics.find(name);
            if (evaluated == record.sink.metrics.end()) continue;
            for (const auto& point : evaluated->second) losses.push_back(point.value);
        }
        outcome.losses.push_back(std::move(losses));
        outcome.weights.push_back(std::move(weights));
    }
    return outcome;
}

// Equal to a millionth of each value, and of 1 where the value is smaller: weights go through 0, where rounding is no
// smaller.
void expectClose(const std::vector<std::vector<double>>& values, const std::vector<std::vector<double>>& others) {
    ASSERT_EQ(values.size(), others.size());
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
        ASSERT_EQ(values[rank].size(), others[rank].size()) << "rank " << rank;
        for (std::size_t i = 0; i < values[rank].size(); ++i) {
            EXPECT_NEAR(values[rank][i], others[rank][i], 1e-6 * std::max(1.0, std::abs(others[rank][i])))
                << "rank " << rank << ", number " << i;
        }
    }
}

// Algorithms with servers are left out: their own tests compare them with threads and fail their hosts.
std::vector<AlgorithmTrial> trialsWithoutServers() {
    return trialsThat(
        [](const AlgorithmTrial& trial) { return trial.repeats && !trial.isTimeOnly() && trial.ranksFor(4) == 4; });
}

class SimulatedTimeWeights : public ::testing::TestWithParam<std::tuple<AlgorithmTrial, int>> {};

TEST_P(SimulatedTimeWeights, AreThoseOfTheRealBackends) {
    const auto& trial = std::get<0>(GetParam());
    const int ranks = trial.acceptedRanks(std::get<1>(GetParam()));
    Value simulated = bowlOn("virtual", trial, ranks);
    simulated.set("compute", table({{"step_time", text("3ms")}}));
    const Outcome virtually = outcomeOf(trainVirtually(simulated));
    const Outcome really = outcomeOf(train(bowlOn("threads", trial, ranks)));
    EXPECT_EQ(virtually.losses, really.losses);
    EXPECT_EQ(virtually.weights, really.weights);
    const Outcome throughGloo = outcomeOf(train(bowlOn("gloo", trial, ranks), Backend::Gloo));
    if (ranks > 2) {
        // Gloo adds more than two numbers up in an order of its own.
        expectClose(virtually.losses, throughGloo.losses);
        expectClose(virtually.weights, throughGloo.weights);
        return;
    }
    EXPECT_EQ(virtually.losses, throughGloo.losses);
    EXPECT_EQ(virtually.weights, throughGloo.weights);
}

INSTANTIATE_TEST_SUITE_P(Registry, SimulatedTimeWeights,
                         ::testing::Combine(::testing::ValuesIn(trialsWithoutServers()), ::testing::Values(1, 2, 5)),
                         [](const auto& info) {
                             return std::get<0>(info.param).name() + "_" + std::to_string(std::get<1>(info.param));
                         });

// Unequal ranks whose steps scatter, over a network that takes longer than a step.
Value scattered(const AlgorithmTrial& trial, double contention, std::int64_t evalEvery) {
    Value document = bowlOn("virtual", trial, 4);
    document.find("train")->set("steps", integer(60));
    document.find("train")->set("eval_every", integer(evalEvery));
    document.set("network", table({{"bandwidth", text("1Gbps")}, {"latency", text("1ms")}}));
    document.set("compute", table({{"step_time", text("3ms")},
                                   {"jitter", text("lognormal(0.3)")},
                                   {"rank_factors", vector({1, 1.7, 1.2})},
                                   {"contention", number(contention)}}));
    return document;
}

// Instants of everything that the ranks recorded, their weights, and the times that were taken of their steps.
std::vector<double> instantsOf(const Value& document) {
    return inChildProcess([&] {
        std::vector<double> instants;
        for (const RankRecord& record : trainVirtually(document)) {
            for (const Span& span : record.sink.spans) {
                for (const Ns number : {static_cast<Ns>(span.kind), span.step, span.start, span.end, span.bytes}) {
                    instants.push_back(static_cast<double>(number));
                }
            }
            for (const char* name : {"weight/0", "weight/1"}) {
                for (const auto& point : record.sink.metrics.at(name)) instants.push_back(point.value);
            }
            // A rank that serves makes no steps to time.
            if (!record.sink.metrics.contains("train/loss")) continue;
            for (const char* name : {"timing/steps", "timing/seconds"}) {
                instants.push_back(record.sink.metrics.at(name).back().value);
            }
        }
        return instants;
    });
}

// Results that depend on who comes first do not do so here, where the order is that of simulated time.
class SimulatedTimeEvaluated : public ::testing::TestWithParam<std::tuple<AlgorithmTrial, double>> {};

TEST_P(SimulatedTimeEvaluated, TakesTheTimeAndTheWayThatItTakesUnevaluated) {
    const auto& [trial, contention] = GetParam();
    const auto plain = instantsOf(scattered(trial, contention, 1'000'000));
    EXPECT_GT(plain.size(), 4U * 60 * (3 * 5 + 2));
    EXPECT_EQ(instantsOf(scattered(trial, contention, 4)), plain) << "to the nanosecond";
    EXPECT_EQ(instantsOf(scattered(trial, contention, 1)), plain);
}

INSTANTIATE_TEST_SUITE_P(Registry, SimulatedTimeEvaluated,
                         ::testing::Combine(::testing::ValuesIn(trialsThatTrain()), ::testing::Values(0, 0.5)),
                         [](const auto& info) {
                             return std::get<0>(info.param).name() + (std::get<1>(info.param) > 0 ? "_contended" : "");
                         });

// Every loss and weight of every rank; then every rank's end and its number of failures and returns.
std::vector<double> everythingOf(const Value& document) {
    return inChildProcess([&] {
        std::vector<double> values, times;
        for (const RankRecord& record : trainVirtually(document)) {
            for (const char* name : {"train/loss", "weight/0", "weight/1"}) {
                for (const auto& point : record.sink.metrics.at(name)) values.push_back(point.value);
            }
            times.push_back(static_cast<double>(endOfSteps(record)));
            times.push_back(static_cast<double>(record.faults.size()));
        }
        values.insert(values.end(), times.begin(), times.end());
        return values;
    });
}

class SimulatedTimeWithFaults : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(SimulatedTimeWithFaults, ComputesTheSameWhateverFailsAndComesBack) {
    constexpr std::size_t kRanks = 4, kTimes = 2 * kRanks;
    Value calm = bowlOn("virtual", GetParam(), kRanks);
    calm.set("network", gigabit());
    calm.set("compute", table({{"step_time", text("3ms")}}));
    Value disturbed = calm;
    disturbed.set("faults", table({{"hosts", matrix({{1, 0.004, 0.1}, {3, 0.02, 0.03}})},
                                   {"links", matrix({{0, 0.006, 0.05}})},
                                   {"host_mtbf", text("50ms")},
                                   {"host_mttr", text("5ms")},
                                   {"link_mtbf", text("20ms")},
                                   {"link_mttr", text("1ms")}}));
    const auto quiet = everythingOf(calm), first = everythingOf(disturbed);
    ASSERT_EQ(first.size(), quiet.size());
    const std::size_t values = first.size() - kTimes;
    EXPECT_GT(values, 3U * 23 * kRanks);
    EXPECT_EQ(std::vector<double>(first.begin(), first.end() - kTimes),
              std::vector<double>(quiet.begin(), quiet.end() - kTimes));
    EXPECT_EQ(first, everythingOf(disturbed)) << "times to the nanosecond";
    double faults = 0;
    for (std::size_t rank = 0; rank < kRanks; ++rank) faults += first[values + 2 * rank + 1];
    EXPECT_GT(faults, 8);
    EXPECT_GT(first[values + 2], quiet[values + 2] + 0.1e9) << "rank 1 was out for so long";
}

INSTANTIATE_TEST_SUITE_P(Registry, SimulatedTimeWithFaults, ::testing::ValuesIn(trialsWithoutServers()), trialName);

}  // namespace
}  // namespace dasgd::test
