// A run that goes on with more or fewer ranks than its checkpoint is of.
#include <gmock/gmock.h>

#include <cstring>

#include <functional>

#include "core/base/metric_names.h"
#include "core/experiment/plan.h"
#include "core/train/rank_state.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/resumed_runs.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kStopOfThree = 11;

// Steps of an epoch of 101 samples that are split over the ranks and taken in batches of 4, the last one short.
std::int64_t stepsOfAnEpoch(std::int64_t workers) { return ((101 + workers - 1) / workers + 3) / 4; }
std::int64_t sameStep(std::int64_t workers) {
    const auto planOf = [](std::int64_t ranks) {
        return planSteps({.samples = 101, .workers = ranks, .batchSize = 4, .epochs = 3});
    };
    return stepOfSamePlace(planOf(3), planOf(workers), kStopOfThree);
}

Value onData(const std::string& algorithm, std::int64_t workers, TrainedOn on = TrainedOn::Threads) {
    return table(
        {{"name", text("elastic")},
         {"algorithm", table({{"name", text(algorithm)}})},
         {"model", table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({8})}})},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({9})},
                         {"classes", integer(4)},
                         {"train_samples", integer(101)},
                         {"test_samples", integer(12)}})},
         {"train", table({{"epochs", integer(3)}, {"batch_size", integer(4)}, {"eval_every", integer(6)}})},
         {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.02)}, {"momentum", number(0.9)}})},
         {"cluster", table({{"backend", text(nameOf(on))}, {"workers", integer(workers)}})}});
}

Value onData(const AlgorithmTrial& trial, std::int64_t workers, TrainedOn on) {
    Value document = onData(trial.algorithm, workers, on);
    trial.putInto(document);
    return document;
}

std::vector<AlgorithmTrial> elasticTrials(const std::function<bool(const AlgorithmTrial&)>& suit) {
    return trialsThat(
        [&](const AlgorithmTrial& trial) { return trial.repeats && suit(trial) && isElastic(*trial.make()); });
}

// The run that `document` describes, on from step `step` of `from`; stopped after `stop`, or not.
CheckpointEnvironment goesOn(const TempDir& dir, const std::string& as, const Value& document,
                             const CheckpointEnvironment& from, std::int64_t step, std::int64_t stop = 0,
                             TrainedOn on = TrainedOn::Threads) {
    CheckpointEnvironment next = checkpointsIn(dir / as);
    next.from = CheckpointFolder(from.place.folder).at(step).value();
    trainOn(on, document, next, stop);
    return next;
}

std::string modelIn(const CheckpointEnvironment& run) {
    return bytesOf(run.place.folder.parent_path() / CheckpointFolder::kModelFile);
}

// The numbers of the model alone: the header of its file names the step too.
std::string weightsIn(const CheckpointEnvironment& run) {
    const std::string file = modelIn(run);
    std::uint64_t header = 0;
    if (file.size() < sizeof(header)) return "";
    std::memcpy(&header, file.data(), sizeof(header));
    return file.substr(sizeof(header) + header);
}

class OtherWorkers : public ::testing::TestWithParam<std::tuple<AlgorithmTrial, TrainedOn>> {};

// A run that was resumed on another number of ranks can itself be saved and resumed, with the same bits.
TEST_P(OtherWorkers, GoOnAndCanBeStoppedAgain) {
    const auto& [trial, on] = GetParam();
    for (const std::int64_t workers : {2, 4}) {
        SCOPED_TRACE(std::to_string(workers) + " workers");
        const TempDir dir;
        const CheckpointEnvironment three = checkpointsIn(dir / "three");
        trainOn(on, onData(trial, 3, on), three, kStopOfThree);
        const Value other = onData(trial, workers, on);
        const auto whole = goesOn(dir, "whole", other, three, kStopOfThree, 0, on);
        const std::int64_t stop = sameStep(workers) + 3;
        const auto stopped = goesOn(dir, "stopped", other, three, kStopOfThree, stop, on);
        const auto again = goesOn(dir, "again", other, stopped, stop, 0, on);
        ASSERT_FALSE(modelIn(whole).empty());
        EXPECT_EQ(modelIn(whole), modelIn(again));
    }
}
std::string caseName(const ::testing::TestParamInfo<std::tuple<AlgorithmTrial, TrainedOn>>& info) {
    return std::get<0>(info.param).name() + "_" + nameOf(std::get<1>(info.param));
}
// Kinds of algorithms, one trial each, that are resumed on GPUs too (tests/core/gpu_suites.txt).
bool isOfTheKinds(const AlgorithmTrial& trial) {
    return trial.algorithm == "dasgd" || trial.algorithm == "easgd" || trial.algorithm == "sync_sgd";
}
INSTANTIATE_TEST_SUITE_P(Kinds, OtherWorkers,
                         ::testing::Combine(::testing::ValuesIn(elasticTrials(isOfTheKinds)),
                                            ::testing::Values(TrainedOn::Virtual, TrainedOn::Threads)),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Registry, OtherWorkers,
                         ::testing::Combine(::testing::ValuesIn(elasticTrials(std::not_fn(isOfTheKinds))),
                                            ::testing::Values(TrainedOn::Virtual, TrainedOn::Threads)),
                         caseName);

// Step 11 of three ranks is step 8 of four: the synchronous steps are over, and are not made again.
TEST(OtherWorkersOfARun, DoNotMakeTheSynchronousStepsAgain) {
    const auto with = [](std::int64_t workers) {
        Value document = onData("local_sgd", workers);
        document.find("algorithm")->set("sync_steps", integer(kStopOfThree));
        document.find("algorithm")->set("period", integer(1000));
        return document;
    };
    const TempDir dir;
    const CheckpointEnvironment three = checkpointsIn(dir / "three");
    trainOn(TrainedOn::Threads, with(3), three, kStopOfThree);
    CheckpointEnvironment next = checkpointsIn(dir / "four");
    next.from = CheckpointFolder(three.place.folder).at(kStopOfThree).value();
    StopAfter never(0);
    const auto after = train(with(4), Backend::Threads, nullptr, {&next, &never});
    const auto& losses = after[0].sink.metrics.at(metrics::kTrainLoss);
    ASSERT_LT(sameStep(4), kStopOfThree) << "else there is nothing to make again";
    EXPECT_EQ(losses.front().bytesSent, losses.back().bytesSent) << "no gradient is sent, and no average is due";
    // A run that is saved and resumed once more gives the same model.
    const auto stopped = goesOn(dir, "stopped", with(4), three, kStopOfThree, sameStep(4) + 1);
    const auto again = goesOn(dir, "again", with(4), stopped, sameStep(4) + 1);
    EXPECT_EQ(modelIn(next), modelIn(again));
}

TEST(OtherWorkersOfARegistry, AreForRulesThatBeginBehindSynchronousSteps) {
    std::vector<std::string> elastic;
    const auto any = [](const AlgorithmTrial&) { return true; };
    for (const AlgorithmTrial& trial : elasticTrials(any)) elastic.push_back(trial.algorithm);
    EXPECT_THAT(elastic, ::testing::IsSupersetOf({"dasgd", "local_sgd", "sync_sgd", "diloco", "easgd"}));
    EXPECT_THAT(elastic, ::testing::Not(::testing::Contains("independent")));
    EXPECT_THAT(elastic, ::testing::Not(::testing::Contains("ssp")));
}

// Ranks that all see the same are as one, whatever their number: then nothing may show of the change but the count of
// steps. Momentum has to be carried over for that.
TEST(OtherWorkersOfOneTarget, TakeTheWayOfARunThatWasNeverStopped) {
    const auto bowl = [](const std::string& algorithm, std::int64_t workers, std::int64_t steps) {
        std::vector<std::vector<double>> targets(static_cast<std::size_t>(workers), {1, 2});
        return table(
            {{"name", text("bowl")},
             {"algorithm", table({{"name", text(algorithm)}})},
             {"model", table({{"name", text("quadratic")},
                              {"matrix", matrix({{2, 0.5}, {0.5, 1}})},
                              {"targets", matrix(targets)},
                              {"start", array<double>({4, -3})}})},
             {"train", table({{"steps", integer(steps)}, {"precision", text("float64")}})},
             {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.02)}, {"momentum", number(0.9)}})},
             {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})}});
    };
    for (const char* algorithm : {"local_sgd", "sync_sgd"}) {
        SCOPED_TRACE(algorithm);
        const TempDir dir;
        const CheckpointEnvironment two = checkpointsIn(dir / "two");
        trainOn(TrainedOn::Threads, bowl(algorithm, 2, 40), two, 10);
        // Ten steps of two ranks are five of four; fifteen are left of twenty.
        const auto four = goesOn(dir, "four", bowl(algorithm, 4, 20), two, 10);
        const CheckpointEnvironment plain = checkpointsIn(dir / "plain");
        trainOn(TrainedOn::Threads, bowl(algorithm, 4, 25), plain);
        ASSERT_FALSE(weightsIn(plain).empty());
        EXPECT_EQ(weightsIn(four), weightsIn(plain));
    }
}

TEST(OtherWorkersOfARun, CountOnInSamplesAndBytes) {
    const TempDir dir;
    const CheckpointEnvironment three = checkpointsIn(dir / "three");
    StopAfter gate(kStopOfThree);
    const auto before = train(onData("sync_sgd", 3), Backend::Threads, nullptr, {&three, &gate});
    CheckpointEnvironment next = checkpointsIn(dir / "two");
    next.from = CheckpointFolder(three.place.folder).at(kStopOfThree).value();
    StopAfter never(0);
    const auto after = train(onData("sync_sgd", 2), Backend::Threads, nullptr, {&next, &never});
    const auto losses = [](const RankRecord& rank) { return rank.sink.metrics.at(metrics::kTrainLoss); };
    const MemorySink::Point last = losses(before[0]).back(), first = losses(after[0]).front();
    EXPECT_EQ(last.step, kStopOfThree);
    EXPECT_EQ(first.step, sameStep(2) + 1);
    EXPECT_NEAR(first.epoch, last.epoch, 2.0 / static_cast<double>(stepsOfAnEpoch(2)));
    std::int64_t sentBefore = 0, sentAfter = 0;
    for (const auto& rank : before) sentBefore += losses(rank).back().bytesSent;
    for (const auto& rank : after) sentAfter += losses(rank).front().bytesSent;
    // Bytes are counted on: one more step adds less than a quarter of those of eleven steps.
    EXPECT_GT(sentAfter, sentBefore);
    EXPECT_LT(sentAfter, sentBefore + sentBefore / 4);
    EXPECT_EQ(losses(after[0]).back().step, 3 * stepsOfAnEpoch(2));
}

TEST(OtherWorkersOfARun, AreRefusedWhereRanksKeepWhatIsTheirOwn) {
    const TempDir dir;
    const CheckpointEnvironment three = checkpointsIn(dir / "three");
    trainOn(TrainedOn::Threads, onData("independent", 3), three, kStopOfThree);
    try {
        static_cast<void>(goesOn(dir, "two", onData("independent", 2), three, kStopOfThree));
        FAIL() << "independent ranks have nothing in common";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("is of 3 workers; a run of independent is resumed with as many, not with 2"));
    }
}

}  // namespace
}  // namespace dasgd::test
