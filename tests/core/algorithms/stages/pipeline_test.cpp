// Backpropagation through stages: the training of one process, and the time that the bubble's formula gives.
#include <gmock/gmock.h>

#include <string>
#include <tuple>
#include <vector>

#include "core/experiment/plan_experiment.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

// `run` without stages, on one rank for each replica.
Trajectory whole(StagedRun run) {
    run.workers /= run.stages;
    run.stages = 1;
    run.algorithm = "sync_sgd";
    run.fields = {};
    Trajectory all = recorded(train(run.document()));
    for (Workers& step : all) step.resize(1);
    return all;
}

class PipelineIs : public testing::TestWithParam<std::tuple<Backend, int, int>> {};

// The operations and their order do not depend on the cut, and plain steps round no element otherwise.
TEST_P(PipelineIs, OneProcessToTheLastBit) {
    const auto& [backend, stages, microBatches] = GetParam();
    for (const char* precision : {"float32", "float64"}) {
        const StagedRun run{.workers = stages,
                            .stages = stages,
                            .batch = 8 / microBatches,
                            .accumulate = microBatches,
                            .precision = precision};
        const Trajectory got = wholeWeights(train(run.document(), backend), stages);
        EXPECT_NE(got.front(), got.back()) << "it trains";
        expectSame(got, whole(run), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Cuts, PipelineIs,
                         testing::Combine(testing::Values(Backend::Threads, Backend::Gloo), testing::Values(1, 2, 3, 4),
                                          testing::Values(1, 4)));

TEST(Pipeline, MicroBatchesAreTheFullBatch) {
    StagedRun full{.workers = 3, .stages = 3, .momentum = 0.9};
    const Trajectory expected = wholeWeights(train(full.document()), 3);
    for (const int microBatches : {2, 4, 8}) {
        StagedRun cut = full;
        cut.batch = 8 / microBatches;
        cut.accumulate = microBatches;
        expectSame(wholeWeights(train(cut.document()), 3), expected, 1e-12);
    }
}

// Batches at the end of an epoch are short: 90 samples are 11 batches of 8 and one of 2.
TEST(Pipeline, TakesShortBatchesAndMicroBatches) {
    const StagedRun run{.workers = 2, .stages = 2, .steps = 14, .batch = 3, .accumulate = 3};
    expectSame(wholeWeights(train(run.document()), 2), whole(run), 0);
}

TEST(Pipeline, ReplicasAverageTheGradientsOfTheirStages) {
    for (const int replicas : {2, 3}) {
        const StagedRun run{.workers = 2 * replicas, .stages = 2, .momentum = 0.9};
        const auto records = train(run.document());
        const Trajectory expected = whole(run);
        for (int replica = 0; replica < replicas; ++replica) {
            expectSame(wholeWeights(records, 2, replica), expected, 1e-13);
        }
    }
}

TEST(Pipeline, ReplicasThatAverageWeightsAreLocalSgd) {
    const StagedRun run{.fields = {{"period", integer(3)}}, .workers = 6, .stages = 2, .momentum = 0.9};
    const auto records = train(run.document());
    StagedRun local = run;
    local.workers = 3;
    local.stages = 1;
    local.algorithm = "local_sgd";
    const auto expected = train(local.document());
    const Trajectory each = recorded(expected);
    for (int replica = 0; replica < 3; ++replica) {
        Trajectory own;
        for (const Workers& step : each) own.push_back({step[static_cast<std::size_t>(replica)]});
        expectSame(wholeWeights(records, 2, replica), own, 1e-13);
    }
    const std::vector<double> got = metricOf(records[0], "eval/loss"), wanted = metricOf(expected[0], "eval/loss");
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12) << "the mean of the replicas";
}

TEST(Pipeline, WithDropoutRepeats) {
    const StagedRun run{.workers = 3, .stages = 3, .dropout = 0.3};
    const auto once = train(run.document());
    expectSame(wholeWeights(once, 3), wholeWeights(train(run.document()), 3), 0);
    EXPECT_NE(wholeWeights(once, 3).back(), whole(run).back());
}

// A network as it is used: conv, conv, and three fully connected layers.
Value lenetOn(int workers, int stages, const std::string& algorithm) {
    Fields cluster{{"backend", text("threads")}, {"workers", integer(workers)}};
    if (stages > 1) cluster.emplace_back("stages", integer(stages));
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("lenet")}})},
                  {"data", table({{"name", text("mnist")}})},
                  {"train", table({{"steps", integer(8)}, {"batch_size", integer(8)}, {"eval_every", integer(4)}})},
                  {"optimizer", table({{"name", text("sgd")}, {"momentum", number(0)}})},
                  {"cluster", table(std::move(cluster))}});
}

TEST(Pipeline, TrainsAndEvaluatesLenetAsOneProcess) {
    const auto expected = train(lenetOn(1, 1, "independent"));
    for (const int stages : {2, 5}) {
        const auto records = train(lenetOn(stages, stages, "pipeline"));
        for (const RankRecord& record : records) ASSERT_EQ(record.outcome.error, "");
        EXPECT_EQ(metricOf(records.back(), "train/loss"), metricOf(expected[0], "train/loss"));
        for (const char* metric : {"eval/loss", "eval/accuracy"}) {
            EXPECT_EQ(metricOf(records[0], metric), metricOf(expected[0], metric)) << metric;
            EXPECT_EQ(metricOf(records[0], metric).size(), 3U);
        }
    }
}

// The last stage of each replica has the loss. Samples are those of replicas, and no rank has a replica to judge.
TEST(Pipeline, RecordsLossesAndSamplesOfReplicas) {
    const StagedRun run{.workers = 6, .stages = 3, .steps = 11, .trainSamples = 176};
    const auto records = train(run.document());
    for (int rank = 0; rank < 6; ++rank) {
        const auto& metrics = records[static_cast<std::size_t>(rank)].sink.metrics;
        EXPECT_EQ(metrics.contains("train/loss"), rank % 3 == 2) << rank;
        EXPECT_FALSE(metrics.contains("eval/replica_accuracy"));
        EXPECT_FALSE(metrics.contains("consensus/distance"));
    }
    const auto& losses = records[2].sink.metrics.at("train/loss");
    ASSERT_EQ(losses.size(), 11U);
    EXPECT_EQ(losses.back().samples, 11 * 8 * 2);
}

// Between layers of 7, 6 and 5 outputs: 8 samples of float64 forward, and as many back.
TEST(Pipeline, SendsOutputsForwardAndTheirGradientsBack) {
    const StagedRun run{.workers = 4, .stages = 4, .steps = 10, .trainSamples = 80};
    const auto records = train(run.document());
    const auto sent = [&](std::size_t rank) {
        std::int64_t bytes = 0;
        for (const Span& span : records[rank].sink.spans) bytes += span.kind == SpanKind::Reduce ? span.bytes : 0;
        return bytes;
    };
    // Both ends of a message record it.
    EXPECT_EQ(sent(0), 10 * 8 * 8 * 2 * 7);
    EXPECT_EQ(sent(1), 10 * 8 * 8 * 2 * (7 + 6));
    EXPECT_EQ(sent(3), 10 * 8 * 8 * 2 * 5);
    EXPECT_EQ(records[3].sink.metrics.at("train/loss").back().bytesSent, 10 * 8 * 8 * 5);
}

class PipelineResumed : public testing::TestWithParam<TrainedOn> {};

TEST_P(PipelineResumed, HasTheBitsOfARunThatNeverStopped) {
    StagedRun run{.workers = 4,
                  .stages = 2,
                  .dropout = 0.25,
                  .steps = 14,
                  .momentum = 0.9,
                  .precision = "float32",
                  .backend = nameOf(GetParam())};
    Value document = run.document();
    document.set("record", table({}));
    expectSameModelAfterStops(GetParam(), document, {1, 6});
    run.fields = {{"period", integer(4)}};
    document = run.document();
    document.set("record", table({}));
    expectSameModelAfterStops(GetParam(), document, {5});
}

// Simulated ones have a process each and come first.
INSTANTIATE_TEST_SUITE_P(SimulatedTime, PipelineResumed, testing::Values(TrainedOn::Virtual),
                         [](const auto& info) { return nameOf(info.param); });
INSTANTIATE_TEST_SUITE_P(Backends, PipelineResumed, testing::Values(TrainedOn::Threads, TrainedOn::Gloo),
                         [](const auto& info) { return nameOf(info.param); });

// Four layers of equal work, of which each parameter's shares of the passes are told.
StagedRun even(int stages, std::int64_t microBatches) {
    return {.workers = stages,
            .stages = stages,
            .hidden = {64, 64, 64},
            .shape = {64},
            .classes = 64,
            .steps = 8,
            .batch = 4,
            .accumulate = microBatches,
            .precision = "float32",
            .backend = "virtual",
            .trainSamples = 2048};
}
Value simulated(const StagedRun& run, const std::string& mode) {
    Value document = run.document();
    document.set("network", gigabit());
    document.set("compute", table({{"step_time", text("40ms")},
                                   {"mode", text(mode)},
                                   {"gradient_shares", vector({0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0})}}));
    document.set("record", table({}));
    return document;
}

class PipelineSimulatedTime : public testing::TestWithParam<std::tuple<int, std::int64_t>> {};

// M micro-batches through K stages that take T/K each, one behind the other.
TEST_P(PipelineSimulatedTime, IsTheBubblesFormula) {
    const auto& [stages, microBatches] = GetParam();
    const auto seconds = [&, stages = stages, microBatches = microBatches](const std::string& mode) {
        return inChildProcess([&] {
            std::vector<double> all;
            for (const RankRecord& record : trainVirtually(simulated(even(stages, microBatches), mode))) {
                all.push_back(meanStepSeconds(record));
            }
            return all;
        });
    };
    const double m = static_cast<double>(microBatches), k = stages;
    const double expected = 0.040 * m * (1 + (k - 1) / m) / k;
    for (const double step : seconds("maths")) EXPECT_NEAR(step, expected, 0.05 * expected);
    for (const double step : seconds("time-only")) EXPECT_NEAR(step, expected, 0.05 * expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PipelineSimulatedTime,
                         testing::Combine(testing::Values(1, 2, 4), testing::Values<std::int64_t>(1, 4, 16)));

TEST(PipelineVirtually, HasTheWeightsOfThreadsInSimulatedTime) {
    StagedRun run{.workers = 4, .stages = 2, .accumulate = 2, .momentum = 0.9, .backend = "virtual"};
    Value document = run.document();
    document.set("compute", table({{"step_time", text("3ms")}}));
    const auto virtually = trainVirtually(document);
    run.backend = "threads";
    const auto really = train(run.document());
    for (const int replica : {0, 1}) {
        expectSame(wholeWeights(virtually, 2, replica), wholeWeights(really, 2, replica), 0);
    }
    EXPECT_EQ(metricOf(virtually[1], "eval/loss"), metricOf(really[0], "eval/loss"));
}

std::string refusalOf(const StagedRun& run, const std::string& section = "", Fields fields = {}) {
    Value document = run.document();
    for (auto& [key, value] : fields) {
        if (!document.find(section)) document.set(section, table({}));
        document.find(section)->set(key, std::move(value));
    }
    const auto experiment = readExperiment(document);
    if (!experiment) return experiment.error().message;
    const auto plan = planExperiment(*experiment);
    return plan ? "" : plan.error().message;
}

TEST(Pipeline, RefusesWhatCannotBeCut) {
    EXPECT_EQ(refusalOf({}), "");
    EXPECT_THAT(refusalOf({.workers = 5, .stages = 5}),
                HasSubstr("mlp of these settings has 4 layers to cut between, and cluster.stages is 5: set at most 4"));
    EXPECT_THAT(refusalOf({}, "compression", {{"name", text("topk")}}),
                HasSubstr("pipeline sends activations and their gradients"));
    EXPECT_THAT(refusalOf({}, "graph", {{"name", text("ring")}}), HasSubstr("pipeline mixes over no graph"));
    Value document = StagedRun{}.document();
    document.set("model", table({{"name", text("logistic")}}));
    const auto experiment = readExperiment(document);
    ASSERT_TRUE(experiment) << experiment.error().message;
    const auto plan = planExperiment(*experiment);
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.error().message, HasSubstr("logistic cannot be cut into stages, as it is no sequence of layers"));
}

const AlgorithmTrial::Add kPipelineTrial{
    {.algorithm = "pipeline",
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     .snapshotPasses = 0,
     .mergePasses = 0,
     .identities = {{.with = {}, .algorithm = "sync_sgd"},
                    {.with = {{"period", integer(3)}},
                     .algorithm = "local_sgd",
                     .fields = {{"period", integer(3)}},
                     .tolerance = 1e-13}}}};

}  // namespace
}  // namespace dasgd::test
