// A run that goes on with more or fewer ranks than its checkpoint is of.
#include <gmock/gmock.h>

#include "core/base/metric_names.h"
#include "core/train/rank_state.h"
#include "tests/support/resumed_runs.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kStepsOfThree = 24, kStopOfThree = 11;

// 36 steps of two ranks, 24 of three, 18 of four: the same 288 samples.
Value onData(const std::string& algorithm, std::int64_t workers) {
    return table(
        {{"name", text("elastic")},
         {"algorithm", table({{"name", text(algorithm)}})},
         {"model", table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({8})}})},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({9})},
                         {"classes", integer(4)},
                         {"train_samples", integer(96)},
                         {"test_samples", integer(12)}})},
         {"train", table({{"steps", integer(kStepsOfThree * 3 / workers)},
                          {"batch_size", integer(4)},
                          {"eval_every", integer(6)}})},
         {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.02)}, {"momentum", number(0.9)}})},
         {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})}});
}

std::vector<std::string> elasticAlgorithms() {
    std::vector<std::string> names = algorithmsThatTrain();
    std::erase_if(names, [](const std::string& name) {
        return !isElastic(*readExperiment(onData(name, 3)).value().makeAlgorithm());
    });
    return names;
}

// The run that `document` describes, on from step `step` of `from`; stopped after `stop`, or not.
CheckpointEnvironment goesOn(const TempDir& dir, const std::string& as, const Value& document,
                             const CheckpointEnvironment& from, std::int64_t step, std::int64_t stop = 0) {
    CheckpointEnvironment next = checkpointsIn(dir / as);
    next.from = CheckpointFolder(from.place.folder).at(step).value();
    trainOn(TrainedOn::Threads, document, next, stop);
    return next;
}

std::string modelIn(const CheckpointEnvironment& run) {
    return bytesOf(run.place.folder.parent_path() / CheckpointFolder::kModelFile);
}

class OtherWorkers : public ::testing::TestWithParam<std::string> {};

// What begins behind a step is itself saved and goes on with the same bits.
TEST_P(OtherWorkers, GoOnAndCanBeStoppedAgain) {
    for (const std::int64_t workers : {2, 4}) {
        SCOPED_TRACE(std::to_string(workers) + " workers");
        const TempDir dir;
        const CheckpointEnvironment three = checkpointsIn(dir / "three");
        trainOn(TrainedOn::Threads, onData(GetParam(), 3), three, kStopOfThree);
        const Value other = onData(GetParam(), workers);
        const auto whole = goesOn(dir, "whole", other, three, kStopOfThree);
        const std::int64_t stop = kStopOfThree * 3 / workers + 3;
        const auto stopped = goesOn(dir, "stopped", other, three, kStopOfThree, stop);
        const auto again = goesOn(dir, "again", other, stopped, stop);
        ASSERT_FALSE(modelIn(whole).empty());
        EXPECT_EQ(modelIn(whole), modelIn(again));
    }
}
INSTANTIATE_TEST_SUITE_P(Registry, OtherWorkers, ::testing::ValuesIn(elasticAlgorithms()),
                         [](const auto& info) { return info.param; });

TEST(OtherWorkersOfARegistry, AreForRulesThatBeginBehindSynchronousSteps) {
    EXPECT_THAT(elasticAlgorithms(), ::testing::IsSupersetOf({"dasgd", "local_sgd", "sync_sgd", "diloco", "easgd"}));
    EXPECT_THAT(elasticAlgorithms(), ::testing::Not(::testing::Contains("independent")));
    EXPECT_THAT(elasticAlgorithms(), ::testing::Not(::testing::Contains("ssp")));
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
        // Ten steps of two are five of four; fifteen are left of twenty.
        const auto four = goesOn(dir, "four", bowl(algorithm, 4, 20), two, 10);
        const CheckpointEnvironment plain = checkpointsIn(dir / "plain");
        trainOn(TrainedOn::Threads, bowl(algorithm, 4, 25), plain);
        ASSERT_FALSE(modelIn(plain).empty());
        EXPECT_EQ(modelIn(four), modelIn(plain));
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
    EXPECT_EQ(first.step, kStopOfThree * 3 / 2 + 1);
    EXPECT_EQ(first.samples, first.step * 2 * 4);
    std::int64_t sentBefore = 0, sentAfter = 0;
    for (const auto& rank : before) sentBefore += losses(rank).back().bytesSent;
    for (const auto& rank : after) sentAfter += losses(rank).front().bytesSent;
    EXPECT_GE(sentAfter, sentBefore) << "and a step";
    EXPECT_EQ(losses(after[0]).back().step, kStepsOfThree * 3 / 2);
}

TEST(OtherWorkersOfARun, AreRefusedWhereRanksKeepWhatIsTheirOwn) {
    const TempDir dir;
    const CheckpointEnvironment three = checkpointsIn(dir / "three");
    trainOn(TrainedOn::Threads, onData("independent", 3), three, kStopOfThree);
    try {
        static_cast<void>(goesOn(dir, "two", onData("independent", 2), three, kStopOfThree));
        FAIL() << "independent ranks have nothing in common";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("is of 3 workers; a run of independent goes on with as many, not with 2"));
    }
}

}  // namespace
}  // namespace dasgd::test
