// Every trial of an algorithm, stopped and resumed in new objects: it ends with the same bits as a run that was not
// stopped, and records the same metrics.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/full_tests.h"
#include "tests/support/resumed_runs.h"

namespace dasgd::test {
namespace {

Value experimentOf(const AlgorithmTrial& trial, const Value& algorithm, TrainedOn on) {
    Value document = resumedExperiment(algorithm, on, droppingMlp(), momentum());
    document.find("cluster")->set("workers", integer(trial.acceptedRanks(kResumedRanks)));
    return document;
}

class EveryAlgorithm : public ::testing::TestWithParam<std::tuple<AlgorithmTrial, TrainedOn>> {};

TEST_P(EveryAlgorithm, EndsWithTheSameBitsAfterAStop) {
    const auto& [trial, on] = GetParam();
    std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(trial.name())) + static_cast<unsigned>(on));
    const std::int64_t stop = std::uniform_int_distribution<std::int64_t>(1, kResumedSteps - 1)(random);
    SCOPED_TRACE("stopped after step " + std::to_string(stop));
    Value document = experimentOf(trial, trial.table(), on);
    trial.putInto(document);
    for (const auto& [key, value] : trial.data()) document.find("data")->set(key, value);
    if (trial.repeats || (on == TrainedOn::Virtual && trial.resumesExactly))
        return expectSameModelAfterStops(on, document, {stop});
    // Another run ends too, with other bits.
    const TempDir dir;
    const CheckpointEnvironment stopped = checkpointsIn(dir / "stopped");
    trainOn(on, document, stopped, stop);
    CheckpointEnvironment resumed = checkpointsIn(dir / "resumed");
    resumed.from = CheckpointFolder(stopped.place.folder).at(stop).value();
    trainOn(on, document, resumed);
    EXPECT_FALSE(bytesOf(dir / "resumed" / "model.safetensors").empty());
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryAlgorithm,
                         ::testing::Combine(::testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                                                return !trial.isTimeOnly() && !trial.sharesWork();  // not resumed yet
                                            })),
                                            ::testing::Values(TrainedOn::Virtual, TrainedOn::Threads, TrainedOn::Gloo)),
                         [](const auto& info) {
                             return std::get<0>(info.param).name() + "_" + nameOf(std::get<1>(info.param));
                         });

// Numbers of clocks are no two times the same.
bool isOfClocks(const std::string& metric) {
    return metric.starts_with("timing/") || metric.starts_with("throughput/") || metric == "eval/trained_s";
}

// Everything that a rank recorded after step `from`, a line each.
std::vector<std::string> recordedAfter(std::int64_t from, const RankRecord& rank) {
    std::vector<std::string> lines;
    for (const auto& [name, points] : rank.sink.metrics) {
        if (isOfClocks(name)) continue;
        for (const MemorySink::Point& point : points) {
            if (point.step <= from) continue;
            std::ostringstream line;
            line << name << " at step " << point.step << ": " << std::hexfloat << point.value << ", epoch "
                 << point.epoch << ", samples " << std::dec << point.samples << ", bytes " << point.bytesSent;
            lines.push_back(line.str());
        }
    }
    return lines;
}

std::vector<RankRecord> recordsOf(const Value& document, const CheckpointEnvironment& checkpoints,
                                  std::int64_t stop = 0) {
    StopAfter gate(stop);
    return train(document, Backend::Threads, nullptr, {&checkpoints, &gate});
}

// The settings of the trial, and the same with each switch of the algorithm the other way.
std::vector<Value> variantsOf(const AlgorithmTrial& trial) {
    std::vector<Value> variants{trial.table()};
    for (const FieldInfo& field : AlgorithmRegistry::find(trial.algorithm)->fields) {
        if (field.type != "bool") continue;
        const Value* given = variants.front().find(field.name);
        const bool* set = given ? given->as<bool>() : nullptr;
        Value other = variants.front();
        other.set(field.name, boolean(!(set ? *set : field.defaultToml == "true")));
        variants.push_back(std::move(other));
    }
    return variants;
}

class EveryMetric : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(EveryMetric, IsAsOfARunThatNeverStopped) {
    for (const Value& algorithm : variantsOf(GetParam())) {
        SCOPED_TRACE(algorithm.toToml());
        const TempDir dir;
        Value document = experimentOf(GetParam(), algorithm, TrainedOn::Threads);
        if (!GetParam().compression.empty()) document.set("compression", table(GetParam().compression));
        const auto whole = recordsOf(document, checkpointsIn(dir / "whole"));
        ASSERT_EQ(whole[0].outcome.kind, WorkerOutcome::Kind::Finished) << whole[0].outcome.error;
        const auto stops = testsInFull() ? std::vector<std::int64_t>{1, 6, 13, 20} : std::vector<std::int64_t>{1, 13};
        for (const std::int64_t stop : stops) {
            SCOPED_TRACE("stopped after step " + std::to_string(stop));
            const CheckpointEnvironment part = checkpointsIn(dir / ("part-" + std::to_string(stop)));
            static_cast<void>(recordsOf(document, part, stop));
            CheckpointEnvironment from = checkpointsIn(dir / ("rest-" + std::to_string(stop)));
            from.from = CheckpointFolder(part.place.folder).at(stop).value();
            const auto rest = recordsOf(document, from);
            for (std::size_t rank = 0; rank < whole.size(); ++rank) {
                EXPECT_EQ(recordedAfter(stop, rest[rank]), recordedAfter(stop, whole[rank])) << "rank " << rank;
            }
            EXPECT_FALSE(recordedAfter(stop, whole[0]).empty());
        }
    }
}
// A trial that measures chooses its messages by measured times, which no two runs share.
INSTANTIATE_TEST_SUITE_P(Registry, EveryMetric, ::testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                             return trial.repeats && !trial.measures && !trial.isTimeOnly();
                         })),
                         trialName);

}  // namespace
}  // namespace dasgd::test
