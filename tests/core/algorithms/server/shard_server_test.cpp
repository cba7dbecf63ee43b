#include "core/algorithms/server/shard_server.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/algorithms/server/bounded_lead.h"
#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Shards, CoverAllWeightsAndDifferByOneAtMost) {
    for (const std::int64_t elements : {3, 4, 61'706, 1'000'003}) {
        for (const int servers : {1, 2, 3}) {
            std::int64_t next = 0;
            for (int server = 0; server < servers; ++server) {
                const Shard shard = shardOf(server, servers, elements);
                EXPECT_EQ(shard.begin, next);
                EXPECT_GE(shard.size, elements / servers);
                EXPECT_LE(shard.size, elements / servers + 1);
                next += shard.size;
            }
            EXPECT_EQ(next, elements);
        }
    }
}

// One rank without a worker loop: a weight for each worker, and SGD that subtracts what it is given.
struct BareRank {
    BareRank(Communicator& comm, Clock& clock, int workers)
        : layer(torch::nn::LinearOptions(workers, 1).bias(false)),
          params(*layer, torch::kFloat64),
          executor(clock, sink, TraceLevel::Full),
          optimizer(OptimizerRegistry::find("sgd")
                        ->create(table({{"learning_rate", number(1)}, {"momentum", number(0)}}), {})
                        .value()),
          context(comm, clock, params, executor, 1,
                  {.optimizer = optimizer.get(),
                   .metric = [this](auto name, double v) { metrics[std::string(name)].push_back(v); }}) {
        params.weights().zero_();
    }
    // Adds 1 to this worker's weight, and reads all of them.
    void exchange(Rank server) {
        params.gradients().zero_();
        params.gradients()[context.comm().rank().value()].fill_(-1);
        Pending push = context.comm().send(params.gradients(), server, kGradientTag);
        Pending pull = context.comm().receive(params.weights(), server, kWeightsTag);
        push.wait();
        pull.wait();
    }
    [[nodiscard]] double weight(int i) { return params.weights()[i].item<double>(); }

    torch::nn::Linear layer;
    FlatParams params;
    MemorySink sink;
    CpuExecutor executor;
    std::unique_ptr<Optimizer> optimizer;
    std::map<std::string, std::vector<double>> metrics;
    StepContext context;
};

std::unique_ptr<ServerPolicy> boundedLead(int workers, std::int64_t staleness) {
    return makeBoundedLead({.workers = workers}, staleness);
}

// Weight j counts the gradients of worker j in what was read. Worker 2 takes five times as long as worker 0.
TEST(ShardServer, AWorkerReadsAllGradientsUpToItsClockLessTheBound) {
    constexpr int kWorkers = 3;
    constexpr std::int64_t kSteps = 20;
    constexpr std::int64_t kBound = 2;
    std::int64_t furthest = 0;
    onVirtualCluster("star", gigabit(), {.ranks = kWorkers + 1}, [&](VirtualRank& rank) {
        BareRank bare(rank.comm, rank.clock, kWorkers);
        const int own = rank.comm.rank().value();
        if (own == kWorkers) {
            ShardServer server(bare.context, {0, kWorkers}, kWorkers,
                               {.policy = boundedLead(kWorkers, kBound), .update = std::make_unique<ShardUpdate>()});
            for (std::int64_t k = 1; k <= kSteps; ++k) {
                bare.context.moveTo(k, 1);
                server.serve(bare.context);
            }
            server.close(bare.context);
            EXPECT_EQ(bare.metrics.at("staleness/updates").size(), static_cast<std::size_t>(kSteps));
            double gradients = 0;
            for (const double each : bare.metrics.at("algorithm/gradients")) gradients += each;
            EXPECT_EQ(gradients, kWorkers * kSteps) << "each counted once";
            return;
        }
        for (std::int64_t k = 1; k <= kSteps; ++k) {
            rank.clock.sleepUntil(rank.clock.now() + 1'000'000 * (1 + 2 * own));
            bare.exchange(Rank{kWorkers});
            EXPECT_EQ(bare.weight(own), static_cast<double>(k)) << "its own are all there";
            for (int j = 0; j < kWorkers; ++j) {
                EXPECT_GE(bare.weight(j), static_cast<double>(k - kBound)) << "worker " << own << " of " << j;
                EXPECT_LE(bare.weight(j), static_cast<double>(k + kBound + 1)) << "worker " << own << " of " << j;
                furthest = std::max(furthest, k - static_cast<std::int64_t>(bare.weight(j)));
            }
        }
    });
    EXPECT_EQ(furthest, kBound) << "and the fast one goes as far as it may";
}

TEST(ShardServer, OneUpdateOfTheMeanWhereNobodyMayBeAhead) {
    constexpr int kWorkers = 3;
    runRanks(Backend::Threads, kWorkers + 1, [&](Communicator& comm, Clock& clock) {
        BareRank bare(comm, clock, kWorkers);
        if (comm.rank() == Rank{kWorkers}) {
            ShardServer server(bare.context, {0, kWorkers}, kWorkers,
                               {.policy = boundedLead(kWorkers, 0), .update = std::make_unique<ShardUpdate>()});
            for (std::int64_t k = 1; k <= 5; ++k) {
                bare.context.moveTo(k, 1);
                server.serve(bare.context);
            }
            server.close(bare.context);
            EXPECT_EQ(bare.metrics.at("staleness/updates"), std::vector<double>(5, 0));
            EXPECT_EQ(bare.metrics.at("algorithm/gradients"), std::vector<double>(5, kWorkers));
            return;
        }
        for (std::int64_t k = 1; k <= 5; ++k) {
            bare.exchange(Rank{kWorkers});
            for (int j = 0; j < kWorkers; ++j) EXPECT_NEAR(bare.weight(j), static_cast<double>(k) / kWorkers, 1e-14);
        }
    });
}

// A server of the upper two of four weights touches no other.
TEST(ShardServer, StepsItsShardAlone) {
    runRanks(Backend::Threads, 2, [](Communicator& comm, Clock& clock) {
        BareRank bare(comm, clock, 4);
        if (comm.rank() == Rank{1}) {
            ShardServer server(bare.context, {2, 2}, 1,
                               {.policy = boundedLead(1, 1), .update = std::make_unique<ShardUpdate>()});
            bare.context.moveTo(1, 0.5);
            server.serve(bare.context);
            server.close(bare.context);
            EXPECT_TRUE(torch::equal(bare.params.weights(), torch::tensor({0.0, 0.0, -1.5, -2.0}, torch::kFloat64)));
            return;
        }
        const at::Tensor gradient = torch::tensor({3.0, 4.0}, torch::kFloat64);
        at::Tensor weights = torch::empty({2}, torch::kFloat64);
        Pending push = comm.send(gradient, Rank{1}, kGradientTag);
        Pending pull = comm.receive(weights, Rank{1}, kWeightsTag);
        push.wait();
        pull.wait();
        EXPECT_TRUE(torch::equal(weights, torch::tensor({-1.5, -2.0}, torch::kFloat64)));
    });
}

TEST(ShardServer, NamesTheWorkersThatAreMissingAtItsDeadline) {
    std::string error;
    runRanks(
        Backend::Threads, 4,
        [&](Communicator& comm, Clock& clock) {
            BareRank bare(comm, clock, 3);
            if (comm.rank() == Rank{1}) {
                Pending push = comm.send(bare.params.gradients(), Rank{3}, kGradientTag);
                push.wait();
            }
            if (comm.rank() != Rank{3}) return;
            ShardServer server(bare.context, {0, 3}, 3,
                               {.policy = boundedLead(3, 0), .update = std::make_unique<ShardUpdate>()});
            bare.context.moveTo(1, 1);
            try {
                server.serve(bare.context);
            } catch (const CommError& thrown) {
                error = thrown.what();
            }
        },
        std::chrono::milliseconds(300));
    EXPECT_THAT(error, HasSubstr("rank 3: receive from any rank"));
    EXPECT_THAT(error, EndsWith("; nothing of step 1 has come from rank 0, 2"));
}

}  // namespace
}  // namespace dasgd::test
