// Common to the algorithms of stages: the model that is evaluated and saved is that of all stages.
#include "core/algorithms/stages/staged_algorithm.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/schema/value.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/experiment/plan_experiment.h"
#include "tests/support/in_child_process.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

// Ten layers with running statistics.
Value resnetOn(const std::string& backend, int workers, int stages, const std::string& algorithm) {
    Fields cluster{{"backend", text(backend)}, {"workers", integer(workers)}};
    if (stages > 1) cluster.emplace_back("stages", integer(stages));
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("resnet18")}, {"width", integer(2)}})},
                  {"data", table({{"name", text("synthetic")},
                                  {"shape", array<std::int64_t>({3, 16, 16})},
                                  {"train_samples", integer(32)},
                                  {"test_samples", integer(8)}})},
                  {"train", table({{"steps", integer(5)}, {"batch_size", integer(4)}, {"eval_every", integer(2)}})},
                  {"optimizer", table({{"name", text("sgd")}, {"momentum", number(0)}})},
                  {"cluster", table(std::move(cluster))}});
}

TEST(StagedAlgorithm, EvaluatesAndSavesTheStatisticsOfAllStages) {
    const TempDir dir;
    const CheckpointEnvironment one = checkpointsIn(dir / "one"), four = checkpointsIn(dir / "four");
    const auto expected = train(resnetOn("threads", 1, 1, "independent"), Backend::Threads, nullptr, {&one});
    const auto records = train(resnetOn("threads", 4, 4, "pipeline"), Backend::Threads, nullptr, {&four});
    for (const RankRecord& record : records) ASSERT_EQ(record.outcome.error, "");
    EXPECT_EQ(metricOf(records[3], "train/loss"), metricOf(expected[0], "train/loss"));
    EXPECT_EQ(metricOf(records[0], "eval/loss"), metricOf(expected[0], "eval/loss"));
    EXPECT_EQ(metricOf(records[0], "eval/loss").size(), 4U);
    EXPECT_EQ(bytesOf(dir / "four" / "model.safetensors"), bytesOf(dir / "one" / "model.safetensors"));
}

// The model of a checkpoint, which other programs read, is made from the ranks' files alone.
TEST(StagedAlgorithm, ACheckpointHoldsTheModelOfAllStages) {
    const TempDir dir;
    for (const auto& [name, workers, stages] : {std::tuple("one", 1, 1), std::tuple("four", 4, 4)}) {
        trainOn(TrainedOn::Threads, resnetOn("threads", workers, stages, stages == 1 ? "sync_sgd" : "pipeline"),
                checkpointsIn(dir / name), 3);
    }
    const auto modelIn = [&](const std::string& name) {
        return readModel(CheckpointFolder(dir / name / "checkpoints").at(3).value()).value();
    };
    const Archive one = modelIn("one"), four = modelIn("four");
    ASSERT_EQ(one.tensors().size(), four.tensors().size());
    for (const auto& [name, tensor] : one.tensors()) {
        EXPECT_TRUE(tensor.equal(four.tensors().at(name))) << name;
    }
}

// The best model is kept while training goes on: by the rank that evaluates, or in simulated time by a model that no
// rank trains.
TEST(StagedAlgorithm, TheBestModelHasTheCountersOfAllStagesInSimulatedTimeToo) {
    const TempDir dir;
    for (const TrainedOn on : {TrainedOn::Virtual, TrainedOn::Threads}) {
        Value document = resnetOn(nameOf(on), 4, 4, "pipeline");
        document.find("data")->set("classes", integer(2));
        document.find("data")->set("train_samples", integer(64));
        document.find("data")->set("validation", number(0.25));
        document.find("train")->set("batch_size", integer(8));
        document.find("train")->set("steps", integer(8));
        document.find("optimizer")->set("learning_rate", number(0.3));
        document.find("train")->set("checkpoint", table({{"every", text("1h")}, {"best", boolean(true)}}));
        if (on == TrainedOn::Virtual) document.set("compute", table({{"step_time", text("3ms")}}));
        trainOn(on, document, checkpointsIn(dir / nameOf(on)));
        const Archive best = readArchive(dir / nameOf(on) / "checkpoints/best.safetensors").value();
        const std::int64_t step = best.integer("step").value();
        ASSERT_GT(step, 0) << nameOf(on);
        int counters = 0;
        for (const auto& [name, tensor] : best.tensors()) {
            if (!name.ends_with("num_batches_tracked")) continue;
            EXPECT_EQ(tensor.item<std::int64_t>(), step) << nameOf(on) << ": " << name;
            ++counters;
        }
        EXPECT_GT(counters, 10);
    }
}

TEST(StagedAlgorithm, EvaluatesInSimulatedTimeAsOnThreads) {
    Value document = resnetOn("virtual", 4, 2, "pipeline");
    document.set("compute", table({{"step_time", text("3ms")}}));
    const auto virtually = inChildProcess([&] { return metricOf(trainVirtually(document)[1], "eval/loss"); });
    const auto really = train(resnetOn("threads", 4, 2, "pipeline"));
    EXPECT_EQ(virtually, metricOf(really[0], "eval/loss"));
    EXPECT_EQ(virtually.size(), 4U);
}

// Running statistics are those of the first forward passes, whatever is computed again.
TEST(StagedAlgorithm, StatisticsCountEachBatchOnce) {
    const auto ofRule = [](const std::string& algorithm) {
        Value document = resnetOn("threads", 3, 3, algorithm);
        document.find("optimizer")->set("learning_rate", number(0));
        return metricOf(train(document)[0], "eval/loss");
    };
    EXPECT_EQ(ofRule("fdg"), ofRule("dsp_layers"));
}

Value gptOn(int workers, int stages, const std::string& algorithm, bool tied) {
    Fields cluster{{"backend", text("threads")}, {"workers", integer(workers)}};
    if (stages > 1) cluster.emplace_back("stages", integer(stages));
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("gpt")},
                                   {"layers", integer(2)},
                                   {"width", integer(8)},
                                   {"heads", integer(2)},
                                   {"context", integer(6)},
                                   {"tied", boolean(tied)}})},
                  {"data", table({{"name", text("synthetic")},
                                  {"classes", integer(11)},
                                  {"train_samples", integer(48)},
                                  {"test_samples", integer(8)}})},
                  {"train", table({{"steps", integer(5)}, {"batch_size", integer(4)}})},
                  {"optimizer", table({{"name", text("sgd")}, {"momentum", number(0)}})},
                  {"cluster", table(std::move(cluster))}});
}

TEST(StagedAlgorithm, CutsATransformerWhoseOutputHasItsOwnMatrix) {
    const auto expected = train(gptOn(1, 1, "independent", false));
    const auto records = train(gptOn(4, 4, "pipeline", false));
    for (const RankRecord& record : records) ASSERT_EQ(record.outcome.error, "");
    EXPECT_EQ(metricOf(records[3], "train/loss"), metricOf(expected[0], "train/loss"));
    EXPECT_EQ(metricOf(records[0], "eval/loss"), metricOf(expected[0], "eval/loss"));
    const auto tied = planExperiment(readExperiment(gptOn(4, 4, "pipeline", true)).value());
    ASSERT_FALSE(tied);
    EXPECT_NE(
        tied.error().message.find("gpt cannot be cut into stages, as it has one matrix for its first and its last "
                                  "layer: set tied = false in [model]"),
        std::string::npos)
        << tied.error().message;
}

}  // namespace
}  // namespace dasgd::test
