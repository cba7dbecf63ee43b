// Synchronous SGD: one replica, whatever the number of workers and buckets.
#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>

#include "core/exec/cpu_executor.h"
#include "core/step/step_context.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields syncSgd(double bucketMb = 25, double firstMb = 1) {
    return {{"name", text("sync_sgd")}, {"bucket_mb", number(bucketMb)}, {"first_bucket_mb", number(firstMb)}};
}

class SyncSgdOracle : public testing::TestWithParam<std::tuple<Backend, int>> {};

TEST_P(SyncSgdOracle, DescendsAlongTheMeanGradient) {
    const auto& [backend, workers] = GetParam();
    const QuadraticProblem problem{.workers = workers, .weightDecay = 0.01, .nesterov = true};
    const auto rule = [](Workers& g) { g.assign(g.size(), mean(g)); };
    const Trajectory expected = serial(
        problem, [](std::int64_t, Workers&) {}, rule);
    const Trajectory got = recorded(train(problem.experiment(syncSgd()), backend));
    expectSame(got, expected, 1e-12);
    for (const Workers& w : got) {
        for (const Vec& one : w) EXPECT_EQ(one, w[0]) << "replicas are bit-equal";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SyncSgdOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4, 7)));

// A network of several layers on synthetic data; `workers` × `batch` samples a step. No BatchNorm.
Value network(int workers, int batch, Fields algorithm) {
    return table(
        {{"name", text("network")},
         {"algorithm", table(std::move(algorithm))},
         {"model", table({{"name", text("mlp")}})},
         {"data", table({{"name", text("synthetic")}, {"train_samples", integer(64)}, {"test_samples", integer(16)}})},
         {"train", table({{"steps", integer(6)}, {"batch_size", integer(batch)}, {"precision", text("float64")}})},
         {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})}});
}

std::vector<double> lossesOf(const std::vector<RankRecord>& records, const char* name) {
    std::vector<double> all;
    for (const auto& point : records[0].sink.metrics.at(name)) all.push_back(point.value);
    return all;
}

TEST(SyncSgd, BucketSizeChangesNothingButRounding) {
    const std::vector<double> whole = lossesOf(train(network(4, 4, syncSgd())), "train/loss");
    for (const double mb : {1e-5, 0.001, 0.05}) {
        const std::vector<double> cut = lossesOf(train(network(4, 4, syncSgd(mb, mb))), "train/loss");
        ASSERT_EQ(cut.size(), whole.size());
        for (std::size_t k = 0; k < cut.size(); ++k) EXPECT_NEAR(cut[k], whole[k], 1e-11) << mb << " MB, step " << k;
    }
}

TEST(SyncSgd, SmallBucketsLeaveDuringTheBackwardPass) {
    const std::vector<RankRecord> records = train(network(2, 4, syncSgd(0.001, 0.001)));
    const auto& spans = records[0].sink.spans;
    int early = 0;
    int reduces = 0;
    for (const Span& reduce : spans) {
        if (reduce.kind != SpanKind::Reduce) continue;
        ++reduces;
        for (const Span& backward : spans) {
            if (backward.kind == SpanKind::Backward && backward.step == reduce.step && reduce.start < backward.end)
                ++early;
        }
    }
    EXPECT_GT(reduces, 6) << "more than one bucket a step";
    EXPECT_GT(early, 0);
}

// Statistics of each rank after a step, where rank r had r + 1 in all of them before it.
std::vector<double> statisticsAfterAStep(bool broadcast) {
    std::vector<double> seen(3);
    runRanks(Backend::Gloo, 3, [&](Communicator& comm, Clock& clock) {
        torch::nn::Sequential net(torch::nn::Linear(4, 5), torch::nn::BatchNorm1d(5), torch::nn::Linear(5, 2),
                                  torch::nn::BatchNorm1d(2));
        FlatParams params(*net, torch::kFloat);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Full);
        StepContext context(comm, clock, params, executor);
        const auto rule =
            AlgorithmRegistry::find("sync_sgd")->create(table({{"broadcast_buffers", boolean(broadcast)}}), {}).value();
        rule->start(context);
        const int rank = comm.rank().value();
        for (at::Tensor buffer : params.buffers()) buffer.fill_(rank + 1);
        context.moveTo(1, 0.1);
        rule->afterStep(context);
        rule->drain(context);
        double sum = 0;
        for (const at::Tensor& buffer : params.buffers()) sum += buffer.sum().item<double>();
        seen[static_cast<std::size_t>(rank)] = sum / (2 * 5 + 2 * 2);
        const bool sent = std::any_of(sink.spans.begin(), sink.spans.end(), [](const Span& span) {
            return span.kind == SpanKind::Reduce && span.bytes == 14 * 4;
        });
        EXPECT_EQ(sent, broadcast) << "the broadcast is part of the step's time";
    });
    return seen;
}

TEST(SyncSgd, EveryForwardPassHasTheStatisticsOfRank0) {
    EXPECT_THAT(statisticsAfterAStep(true), testing::ElementsAre(1, 1, 1));
    EXPECT_THAT(statisticsAfterAStep(false), testing::ElementsAre(1, 2, 3));
}

TEST(SyncSgd, EvaluatesWithTheStatisticsOfRank0) {
    // DDP evaluates the same way: the mean of equal statistics is rank 0's.
    const auto evaluated = [](bool broadcast) {
        return train(
            table({{"algorithm", table({{"name", text("sync_sgd")}, {"broadcast_buffers", boolean(broadcast)}})},
                   {"model", table({{"name", text("resnet18")}, {"width", integer(2)}})},
                   {"data", table({{"name", text("synthetic")},
                                   {"shape", array<std::int64_t>({3, 16, 16})},
                                   {"train_samples", integer(16)},
                                   {"test_samples", integer(8)}})},
                   {"train", table({{"steps", integer(3)}, {"batch_size", integer(4)}})},
                   {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
    };
    const auto with = evaluated(true), without = evaluated(false);
    EXPECT_EQ(lossesOf(with, "train/loss"), lossesOf(without, "train/loss")) << "training normalises by the batch";
    EXPECT_NE(lossesOf(with, "eval/loss").back(), lossesOf(without, "eval/loss").back());
    const auto bytes = [](const auto& records) { return records[1].sink.metrics.at("train/loss").back().bytesSent; };
    EXPECT_GE(bytes(with), bytes(without));
}

// P workers with batch b are one process with the batch of all: every worker sees the whole set, so the mean gradient
// is the gradient on the union.
TEST(SyncSgd, EqualsOneProcessOnTheConcatenatedBatch) {
    const QuadraticProblem many{.workers = 7};
    const Trajectory got = recorded(train(many.experiment(syncSgd())));
    QuadraticProblem one = many;
    one.workers = 1;
    // The mean of f_i has the mean of the targets as its own target.
    Workers targets;
    for (int i = 0; i < 7; ++i) targets.push_back(many.target(i));
    const Vec center = mean(targets);
    Workers w{many.start};
    Vec v(3, 0);
    for (std::size_t k = 1; k < got.size(); ++k) {
        const Vec g = one.gradient(w[0], center);
        for (std::size_t j = 0; j < 3; ++j) {
            v[j] = k == 1 ? g[j] : 0.9 * v[j] + g[j];
            w[0][j] -= one.rate * v[j];
            EXPECT_NEAR(got[k][3][j], w[0][j], 1e-11);
        }
    }
}

const AlgorithmTrial::Add kSyncSgdTrial{
    {.algorithm = "sync_sgd",
     .fields = {{"first_bucket_mb", number(0.01)}, {"bucket_mb", number(0.05)}},
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     .snapshotPasses = 0,
     .mergePasses = 0}};

}  // namespace
}  // namespace dasgd::test
