// Ranks that are processes, here threads that share nothing but the run's folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>

#include "tests/support/hosted.h"

namespace dasgd::test {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

TEST(GlooBackend, EveryRankIsAProcessThatMeetsTheOthersInTheRunsFolder) {
    const Layout layout = layoutOf("gloo", 3).value();
    EXPECT_TRUE(layout.isProcessARank());
    EXPECT_FALSE(layout.timeSimulated);
    std::atomic<int> sum = 0;
    EXPECT_THAT(onBackend({.backend = "gloo", .workers = 3},
                          [&](RankHost&, HostedRank& rank) {
                              at::Tensor own = torch::full({1}, rank.comm.rank().value() + 1.0);
                              Pending pending = rank.comm.allReduce(own, Reduce::Sum);
                              pending.wait();
                              sum += static_cast<int>(own.item<float>());
                          }),
                IsEmpty());
    EXPECT_EQ(sum, 18);
}

TEST(GlooBackend, ARankThatIsRefusedWhenConnectedIsAnErrorOfItsHost) {
    const auto errors = onBackend(
        {.backend = "gloo", .workers = 2}, [](RankHost&, HostedRank&) { FAIL() << "no rank may run"; },
        [](Communicator&) -> Status { return fail("not you"); });
    EXPECT_THAT(errors, SizeIs(2));
    EXPECT_THAT(errors, Each("not you"));
}

// 1 MB takes 80 ms at 100 Mbps.
TEST(GlooBackend, EmulatesTheClustersLink) {
    ClusterParams cluster{.backend = "gloo", .workers = 2, .link = LinkParams()};
    cluster.link->bandwidth = "100Mbps";
    const auto seconds = [](Communicator& comm) {
        at::Tensor payload = torch::ones({250'000});
        Pending pending = comm.broadcast(payload, Rank{0});
        pending.wait();
        return static_cast<double>(pending.interval().end - pending.interval().start) * 1e-9;
    };
    EXPECT_THAT(onBackend(cluster, [&](RankHost&, HostedRank& rank) { EXPECT_GE(seconds(rank.comm), 0.08); }),
                IsEmpty());
}

}  // namespace
}  // namespace dasgd::test
