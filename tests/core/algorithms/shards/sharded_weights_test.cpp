// Parts of flat vectors that ranks step: no element is lost or stepped twice, whatever the sizes.
#include "core/algorithms/shards/sharded_weights.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <tuple>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

// Ranks, elements of the one layer's weight, and floats that close a bucket.
class Parts : public testing::TestWithParam<std::tuple<int, int, int, Backend>> {};

TEST_P(Parts, StepEveryElementOnceAlongTheMeanGradient) {
    const auto& [ranks, inputs, floats, backend] = GetParam();
    runRanks(backend, ranks, [&, ranks = ranks, inputs = inputs, floats = floats](Communicator& comm, Clock& clock) {
        torch::nn::Sequential net(torch::nn::Linear(inputs, 1), torch::nn::Linear(1, 2));  // inputs + 1 + 2 + 2 weights
        FlatParams params(*net, torch::kFloat64);
        const at::NoGradGuard guard;
        const at::Tensor numbers = torch::arange(1, params.size() + 1, torch::kFloat64);
        params.weights().copy_(numbers * 1000);
        // Integers, whose sums are exact in any order: rank r has r + 1 times the mean of all, divided by its factor.
        params.gradients().copy_(numbers * (comm.rank().value() + 1) * 2);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        BucketOrder order;
        const double mb = 8.0 * floats / 1048576;
        order.plan(params, {.firstMb = mb, .mb = mb}, ranks);
        ShardedWeights sharded;
        EXPECT_FALSE(sharded.isDivided());
        sharded.divide(context, order.ranges());
        ASSERT_TRUE(sharded.isDivided());
        const std::int64_t part = (params.size() + ranks - 1) / ranks;
        EXPECT_EQ(sharded.part().size(), part);
        for (int step = 1; step <= 3; ++step) {
            context.moveTo(step, 0.1);
            for (std::size_t bucket = 0; bucket < order.ranges().size(); ++bucket) {
                sharded.scatter(context, bucket, false);
            }
            sharded.awaitGradients(context);
            sharded.part().weights().sub_(sharded.part().gradients());
            sharded.gather(context);
            // The mean of 2(r + 1) over r < P is P + 1.
            const at::Tensor expected = numbers * 1000 - numbers * (step * (ranks + 1));
            EXPECT_TRUE(torch::equal(params.weights(), expected)) << "rank " << comm.rank().value();
        }
        std::int64_t parameters = 0;
        for (const FlatParams::Slot& slot : sharded.part().slots()) parameters += slot.numel;
        EXPECT_EQ(parameters, sharded.part().parameters());
        at::Tensor all = torch::tensor({static_cast<double>(parameters)}, torch::kFloat64);
        comm.allReduce(all, Reduce::Sum).wait();
        EXPECT_EQ(all.item<double>(), static_cast<double>(params.parameters())) << "padding is no parameter";
    });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Parts,
                         testing::Combine(testing::Values(1, 2, 4, 7), testing::Values(1, 3, 40),
                                          testing::Values(1, 4, 1000),
                                          testing::Values(Backend::Threads, Backend::Gloo)));

TEST(ShardedWeights, NamesTheAlgorithmThatRefuses) {
    EXPECT_FALSE(ShardedWeights::check("any", {.optimizerState = 2, .decaysWeights = true}));
    EXPECT_THAT(ShardedWeights::check("any", {.clips = true}).value().message,
                testing::HasSubstr("with any each rank steps a part of them: remove it"));
    EXPECT_THAT(ShardedWeights::check("any", {.layerwise = true}).value().message,
                testing::HasSubstr("choose another, as adamw, or set name = \"sync_sgd\" in [algorithm]"));
}

}  // namespace
}  // namespace dasgd::test
