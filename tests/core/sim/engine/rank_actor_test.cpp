// A rank runs ahead of simulated time and lets it catch up.
#include "core/sim/engine/rank_actor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

TEST(RankActor, ComputesWhileTheNetworkWorks) {
    const StepTimes times{.forward = 0.010, .backward = 0.020, .update = 0.001};
    onVirtualCluster("star", gigabit(), {.ranks = 2, .times = times}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});  // 1 MB: 8 ms a way, 8.1 ms as a ring of two
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        rank.simulatedTime.charge(SpanKind::Forward, 0);
        EXPECT_EQ(rank.clock.now(), 10'000'000);
        EXPECT_TRUE(pending.done());
        EXPECT_NEAR(seconds(pending.interval()->end), 0.0081, 1e-6);
        pending.wait();
        EXPECT_EQ(rank.clock.now(), 10'000'000) << "what is done costs no waiting";
    });
}

TEST(RankActor, ContentionSlowsComputingWhileACollectiveRuns) {
    const StepTimes times{.forward = 0.010};
    ComputeParams compute;
    compute.contention = 0.5;
    onVirtualCluster("star", gigabit(), {.ranks = 2, .compute = compute, .times = times}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        rank.simulatedTime.charge(SpanKind::Forward, 0);
        // 8.1 ms at two thirds of the speed, the rest at full speed.
        EXPECT_NEAR(seconds(rank.clock.now()), 0.0081 + (0.010 - 0.0081 / 1.5), 1e-6);
        pending.wait();
    });
}

// Work that is shorter than the clock can tell apart takes no time.
TEST(RankActor, GetsThroughThePiecesThatAreTooSmallToMatter) {
    const StepTimes times{.forward = 100};
    ComputeParams compute;
    compute.contention = 0.5;
    compute.memoryBandwidth = "1000TB/s";
    onVirtualCluster("star", gigabit(), {.ranks = 2, .compute = compute, .times = times}, [&](VirtualRank& rank) {
        rank.simulatedTime.charge(SpanKind::Forward, 0);
        const double begun = simgrid::s4u::Engine::get_clock();
        const double smallest = 2 / 1e15;
        ASSERT_EQ(begun + smallest, begun);
        rank.simulatedTime.charge(SpanKind::Snapshot, 1);
        EXPECT_EQ(rank.clock.now(), 100'000'000'000);
    });
}

TEST(RankActor, LaunchesOfABackwardPassLeaveWhenTheirGradientIsReady) {
    const StepTimes times{.backward = 0.020, .gradientShares = {0.25, 0.5}};
    onVirtualCluster("star", gigabit(), {.ranks = 2, .times = times}, [&](VirtualRank& rank) {
        std::array<at::Tensor, 2> tensors{torch::ones({25'000}), torch::ones({25'000})};
        std::array<Pending, 2> pending;
        for (const std::size_t slot : {1U, 0U}) {
            rank.simulatedTime.gradientReady(slot);
            pending[slot] = rank.comm.allReduce(tensors[slot], Reduce::Sum);
        }
        rank.simulatedTime.charge(SpanKind::Backward, 0);
        EXPECT_EQ(rank.clock.now(), 20'000'000);
        EXPECT_EQ(pending[1].interval()->start, 10'000'000);
        EXPECT_EQ(pending[0].interval()->start, 15'000'000);
        for (Pending& each : pending) each.wait();
    });
}

}  // namespace
}  // namespace dasgd::test
