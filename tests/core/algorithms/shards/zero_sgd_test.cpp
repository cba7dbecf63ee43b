// Synchronous SGD whose update is divided among the ranks.
#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <tuple>

#include "core/algorithms/extensions.h"
#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/step_context.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/resumed_runs.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields zeroSgd(double bucketMb = 25) {
    return {{"name", text("zero_sgd")}, {"bucket_mb", number(bucketMb)}, {"first_bucket_mb", number(bucketMb)}};
}

class ZeroSgdOracle : public testing::TestWithParam<std::tuple<Backend, int>> {};

// Three weights: on two and on four ranks the last row is filled up, on seven some ranks have no weight at all.
TEST_P(ZeroSgdOracle, DescendsAlongTheMeanGradient) {
    const auto& [backend, workers] = GetParam();
    const QuadraticProblem problem{.workers = workers, .weightDecay = 0.01, .nesterov = true};
    const auto rule = [](Workers& g) { g.assign(g.size(), mean(g)); };
    const Trajectory expected = serial(
        problem, [](std::int64_t, Workers&) {}, rule);
    const Trajectory got = recorded(train(problem.experiment(zeroSgd()), backend));
    expectSame(got, expected, 1e-12);
    for (const Workers& w : got) {
        for (const Vec& one : w) EXPECT_EQ(one, w[0]) << "replicas are bit-equal";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ZeroSgdOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4, 7)));

constexpr int kZeroSteps = 12;

// Layers of 45, 5, 20 and 4 elements, 74 in all, which none of 3, 4 and 7 divides.
Value zeroNetwork(int workers, Fields algorithm, Fields optimizer, const std::string& precision) {
    return table(
        {{"name", text("network")},
         {"algorithm", table(std::move(algorithm))},
         {"model", table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({5})}})},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({9})},
                         {"classes", integer(4)},
                         {"train_samples", integer(90)},
                         {"test_samples", integer(12)}})},
         {"train", table({{"steps", integer(kZeroSteps)}, {"batch_size", integer(4)}, {"precision", text(precision)}})},
         {"optimizer", table(std::move(optimizer))},
         {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})},
         {"record", table({{"weights", boolean(true)}})}});
}

const std::vector<Fields> kElementwise{
    {{"name", text("sgd")}, {"momentum", number(0)}},
    {{"name", text("sgd")},
     {"nesterov", boolean(true)},
     {"weight_decay", number(0.01)},
     {"no_decay", text("bias-norm")}},
    {{"name", text("adam")}, {"weight_decay", number(0.01)}},
    {{"name", text("adamw")}, {"weight_decay", number(0.1)}, {"no_decay", text("bias-norm")}}};

class ZeroSgdIs : public testing::TestWithParam<std::tuple<std::size_t, int, const char*>> {};

// Ranks that are threads add up pairwise, whatever the collective, so that the mean gradients are the same bits. So are
// plain steps. LibTorch's fused steps with momentum round the elements that fill no vector register, at the end of a
// tensor, otherwise than the others, and these are other elements in a part: once a step, by ε of the weight.
TEST_P(ZeroSgdIs, SyncSgdToTheRoundingOfAStep) {
    const auto& [optimizer, workers, precision] = GetParam();
    const auto way = [&, optimizer = optimizer, workers = workers, precision = precision](Fields algorithm) {
        return recorded(train(zeroNetwork(workers, std::move(algorithm), kElementwise[optimizer], precision)));
    };
    const Trajectory expected = way({{"name", text("sync_sgd")}});
    EXPECT_NE(expected.front(), expected.back()) << "it trains";
    const double epsilon = std::string(precision) == "float32" ? 0x1p-23 : 0x1p-52;
    for (const double bucketMb : {25.0, 1e-4, 1e-6}) {
        SCOPED_TRACE(bucketMb);
        expectSame(way(zeroSgd(bucketMb)), expected, optimizer == 0 ? 0 : kZeroSteps * epsilon);
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, ZeroSgdIs,
                         testing::Combine(testing::Range<std::size_t>(0, 4), testing::Values(1, 2, 3, 4, 7),
                                          testing::Values("float32", "float64")));

// Elements of the optimiser's tensors on each rank after a step, for a model of 4·3 + 3 weights.
std::vector<std::int64_t> stateOf(const std::string& optimizer, int ranks) {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(ranks));
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(4, 3);
        FlatParams params(*layer, torch::kFloat);
        params.gradients().fill_(1);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        const auto steps = OptimizerRegistry::find(optimizer)->create(Value(Value::Table{}), {}).value();
        StepContext context(comm, clock, params, executor, 1, {.optimizer = steps.get()});
        const auto rule = AlgorithmRegistry::find("zero_sgd")->create(Value(Value::Table{}), {}).value();
        rule->start(context);
        context.moveTo(1, 0.1);
        rule->afterBackward(context);
        const at::NoGradGuard guard;
        dynamic_cast<OwnUpdate&>(*rule).update(context, *steps);
        rule->afterStep(context);
        std::int64_t sum = 0;
        for (const at::Tensor& state : steps->state()) {
            EXPECT_EQ(state.storage().nbytes(), state.nbytes()) << "no view of something larger";
            sum += state.numel();
        }
        elements[static_cast<std::size_t>(comm.rank().value())] = sum;
    });
    return elements;
}

TEST(ZeroSgd, HasThePthPartOfTheOptimizersStateOnEachRank) {
    EXPECT_EQ(stateOf("sgd", 1), (std::vector<std::int64_t>{15}));
    EXPECT_EQ(stateOf("sgd", 3), (std::vector<std::int64_t>(3, 5)));
    EXPECT_EQ(stateOf("adamw", 3), (std::vector<std::int64_t>(3, 10)));
    EXPECT_EQ(stateOf("adamw", 4), (std::vector<std::int64_t>(4, 8))) << "an element fills the last row up";
    EXPECT_EQ(stateOf("adam", 17), (std::vector<std::int64_t>(17, 2)));
}

// Spans of the communication lane by step, and the ends of backward passes.
TEST(ZeroSgd, SmallBucketsLeaveDuringTheBackwardPass) {
    const auto records = train(zeroNetwork(2, zeroSgd(1e-4), kElementwise[0], "float64"));
    int early = 0, collectives = 0;
    for (const Span& reduce : records[0].sink.spans) {
        if (reduce.kind != SpanKind::Reduce) continue;
        ++collectives;
        for (const Span& backward : records[0].sink.spans) {
            if (backward.kind == SpanKind::Backward && backward.step == reduce.step && reduce.start < backward.end)
                ++early;
        }
    }
    EXPECT_GT(collectives, kZeroSteps * 3) << "more than one bucket a step";
    EXPECT_GT(early, 0);
}

// 74 elements of 8 bytes: a reduce-scatter and an all-gather of the rows that P ranks make of them.
TEST(ZeroSgd, SendsWhatAnAllReduceSends) {
    for (const int workers : {1, 2, 4, 7}) {
        const auto records = train(zeroNetwork(workers, zeroSgd(), kElementwise[0], "float64"));
        const std::int64_t row = (74 + workers - 1) / workers;
        for (const RankRecord& record : records) {
            EXPECT_EQ(record.sink.metrics.at("train/loss").back().bytesSent, kZeroSteps * 2 * 8 * row * (workers - 1));
        }
    }
}

std::string refusal(const Value& document) {
    const auto read = readExperiment(document);
    return read ? "" : read.error().message;
}

TEST(ZeroSgd, RefusesStepsThatNeedTheWholeGradient) {
    const auto algorithm =
        readExperiment(zeroNetwork(2, zeroSgd(), kElementwise[0], "float32")).value().makeAlgorithm();
    EXPECT_FALSE(algorithm->check({.workers = 2, .optimizerState = 2}));
    const auto clipped = algorithm->check({.workers = 2, .clips = true});
    ASSERT_TRUE(clipped);
    EXPECT_EQ(clipped->field, "train.gradient_clip");
    EXPECT_THAT(clipped->message, HasSubstr("remove it, or set name = \"sync_sgd\""));
    const auto layers = algorithm->check({.workers = 2, .layerwise = true});
    ASSERT_TRUE(layers);
    EXPECT_EQ(layers->field, "optimizer.name");
    EXPECT_THAT(layers->message, HasSubstr("as adamw, or set name = \"sync_sgd\""));
}

TEST(ZeroSgd, RefusesCompression) {
    Value document = zeroNetwork(2, zeroSgd(), kElementwise[0], "float32");
    document.set("compression", table({{"name", text("topk")}}));
    EXPECT_THAT(refusal(document), HasSubstr("zero_sgd does not compress what it sends: remove [compression]"));
}

// Each rank has a part of the optimiser's state, and no other number of ranks has these parts.
TEST(ZeroSgd, IsResumedWithAsManyWorkers) {
    const TempDir dir;
    const CheckpointEnvironment three = checkpointsIn(dir / "three");
    const auto on = [](int workers) { return zeroNetwork(workers, zeroSgd(), kElementwise[3], "float32"); };
    trainOn(TrainedOn::Threads, on(3), three, 5);
    CheckpointEnvironment two = checkpointsIn(dir / "two");
    two.from = CheckpointFolder(three.place.folder).at(5).value();
    try {
        trainOn(TrainedOn::Threads, on(2), two);
        FAIL() << "with a third of the state on each of two ranks";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("is of 3 workers; a run of zero_sgd is resumed with as many, not with 2"));
    }
}

class ZeroSgdResumed : public testing::TestWithParam<std::size_t> {};

TEST_P(ZeroSgdResumed, HasTheBitsOfARunThatNeverStopped) {
    Value document = zeroNetwork(3, zeroSgd(1e-4), kElementwise[GetParam()], "float32");
    document.set("record", table({}));
    expectSameModelAfterStops(TrainedOn::Threads, document, {1, 5});
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ZeroSgdResumed, testing::Range<std::size_t>(0, 4));

const AlgorithmTrial::Add kZeroSgdTrial{
    {.algorithm = "zero_sgd",
     .fields = {{"first_bucket_mb", number(0.01)}, {"bucket_mb", number(0.05)}},
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     .deviceTolerance = 1e-6,
     .identities = {{.with = {}, .algorithm = "sync_sgd"}}}};

const AlgorithmTrial::Add kFullyShardedTrial{
    {.algorithm = "zero_sgd", .fields = {{"stage", integer(3)}}, .what = "stage_3"}};

}  // namespace
}  // namespace dasgd::test
