// Simulated time against the formulas, and what happens when a rank does not come.
#include "core/virtual/world.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <cmath>

#include "core/virtual/cost.h"
#include "tests/support/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kBytesPerSecond = 1.25e8;  // 1 Gbit/s
constexpr double kLatency = 50e-6;

Value network() { return table({{"bandwidth", text("1Gbps")}, {"latency", text("50us")}}); }

double seconds(Ns ns) { return static_cast<double>(ns) * 1e-9; }

class RingByMessages : public ::testing::TestWithParam<int> {};

TEST_P(RingByMessages, TakesWhatTheFormulaSays) {
    const int ranks = GetParam();
    constexpr std::int64_t kElements = 1 << 18;
    std::vector<double> took(static_cast<std::size_t>(ranks));
    onVirtualCluster("star", network(), {.ranks = ranks}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({kElements});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_EQ(tensor[kElements - 1].item<float>(), static_cast<float>(ranks));
        took[static_cast<std::size_t>(rank.comm.rank().value())] = seconds(pending.interval().end);
    });
    const double formula =
        ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 4.0 * kElements, ranks);
    for (const double each : took) EXPECT_NEAR(each, formula, 0.001 * formula);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RingByMessages, ::testing::Values(2, 3, 4, 8, 32, 256));

TEST(VirtualWorld, ComputesWhileTheNetworkWorks) {
    const StepTimes times{.forward = 0.010, .backward = 0.020, .update = 0.001};
    onVirtualCluster("star", network(), {.ranks = 2, .times = times}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});  // 1 MB: 8 ms a way, 8.1 ms as a ring of two
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        rank.pace.worked(SpanKind::Forward, 0);
        EXPECT_EQ(rank.clock.now(), 10'000'000);
        EXPECT_TRUE(pending.done());
        EXPECT_NEAR(seconds(pending.interval().end), 0.0081, 1e-6);
        pending.wait();
        EXPECT_EQ(rank.clock.now(), 10'000'000) << "what is done costs no waiting";
    });
}

TEST(VirtualWorld, ContentionSlowsComputingWhileACollectiveRuns) {
    const StepTimes times{.forward = 0.010};
    ComputeParams compute;
    compute.contention = 0.5;
    onVirtualCluster("star", network(), {.ranks = 2, .compute = compute, .times = times}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        rank.pace.worked(SpanKind::Forward, 0);
        // 8.1 ms at two thirds of the speed, the rest at full speed.
        EXPECT_NEAR(seconds(rank.clock.now()), 0.0081 + (0.010 - 0.0081 / 1.5), 1e-6);
        pending.wait();
    });
}

TEST(VirtualWorld, LaunchesOfABackwardPassLeaveWhenTheirGradientIsReady) {
    const StepTimes times{.backward = 0.020, .gradientShares = {0.25, 0.5}};
    onVirtualCluster("star", network(), {.ranks = 2, .times = times}, [&](VirtualRank& rank) {
        std::array<at::Tensor, 2> tensors{torch::ones({25'000}), torch::ones({25'000})};
        std::array<Pending, 2> pending;
        for (const std::size_t slot : {1U, 0U}) {
            rank.pace.gradientReady(slot);
            pending[slot] = rank.comm.allReduce(tensors[slot], Reduce::Sum);
        }
        rank.pace.worked(SpanKind::Backward, 0);
        EXPECT_EQ(rank.clock.now(), 20'000'000);
        EXPECT_EQ(pending[1].interval().start, 10'000'000);
        EXPECT_EQ(pending[0].interval().start, 15'000'000);
        for (Pending& each : pending) each.wait();
    });
}

TEST(VirtualWorld, AutogradStaysOnInOneRankWhileAnotherHasItOff) {
    onVirtualCluster("star", network(), {.ranks = 2}, [&](VirtualRank& rank) {
        const bool off = rank.comm.rank() == Rank{0};
        const at::AutoGradMode mode(!off);
        for (int i = 0; i < 3; ++i) {
            at::Tensor tensor = torch::ones({8});
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
            EXPECT_EQ(at::GradMode::is_enabled(), !off);
        }
    });
}

TEST(VirtualWorld, MessagesFindTheirTag) {
    onVirtualCluster("star", network(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor first = torch::full({4}, 1.0), second = torch::full({4}, 2.0);
        if (rank.comm.rank() == Rank{0}) {
            Pending one = rank.comm.send(first, Rank{1}, 7);
            Pending two = rank.comm.send(second, Rank{1}, 8);
            one.wait();
            two.wait();
            return;
        }
        at::Tensor of8 = torch::zeros({4}), of7 = torch::zeros({4});
        Pending two = rank.comm.receive(of8, Rank{0}, 8);
        Pending one = rank.comm.receive(of7, Rank{0}, 7);
        two.wait();
        one.wait();
        EXPECT_EQ(of8[0].item<float>(), 2);
        EXPECT_EQ(of7[0].item<float>(), 1);
    });
}

TEST(VirtualWorld, ADeadlockSaysWhoWaitsForWhat) {
    std::string first, second;
    onVirtualCluster("star", network(), {.ranks = 3, .timeout = std::chrono::milliseconds(5000)},
                     [&](VirtualRank& rank) {
                         at::Tensor tensor = torch::ones({4});
                         try {
                             if (rank.comm.rank() == Rank{0}) {
                                 Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
                                 pending.wait();
                             } else if (rank.comm.rank() == Rank{1}) {
                                 rank.clock.sleepUntil(1'000'000'000);
                                 Pending pending = rank.comm.receive(tensor, Rank{0}, 3);
                                 pending.wait();
                             }
                         } catch (const CommError& error) {
                             (rank.comm.rank() == Rank{0} ? first : second) = error.what();
                         }
                     });
    EXPECT_THAT(first,
                AllOf(HasSubstr("rank 0: all_reduce #1 (16 bytes) did not end within 5000 ms"),
                      HasSubstr("rank 1 waits (rank 1: receive from rank 0, tag 3)"), HasSubstr("rank 2 has ended")));
    EXPECT_THAT(second, HasSubstr("rank 1: receive from rank 0, tag 3 did not end within 5000 ms"));
}

TEST(VirtualWorld, AnAbortReachesWhoeverWaits) {
    std::string heard;
    VirtualWorld* cluster = nullptr;
    const auto topology = TopologyRegistry::find("star")->create(network(), {});
    auto world = VirtualWorld::create(**topology, {.ranks = 2});
    cluster = world->get();
    cluster->run([&](VirtualRank& rank) {
        if (rank.comm.rank() == Rank{0}) {
            rank.clock.sleepUntil(2'000'000);
            cluster->abort("rank 0 diverged");
            return;
        }
        at::Tensor tensor = torch::ones({4});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        try {
            pending.wait();
        } catch (const CommError& error) {
            heard = error.what();
            EXPECT_EQ(rank.clock.now(), 2'000'000);
        }
    });
    EXPECT_THAT(heard, HasSubstr("failed: rank 0 diverged"));
}

}  // namespace
}  // namespace dasgd::test
