#include "core/backends/gloo_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <thread>

#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

TEST(GlooGroup, MeetsInTheRunsFolderOnLoopbackOrWhereItIsTold) {
    const TempDir folder;
    MonotonicClock clock;
    const ClusterParams cluster{.workers = 2, .timeoutS = 20};
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 2; ++rank) {
        ranks.emplace_back([&, rank] {
            HostRequest request{.ranks = {rank}, .clock = clock, .folder = folder.path(), .cluster = &cluster};
            if (rank == 1) {
                auto file = Rendezvous::file(folder.path() / "rendezvous", 2, cluster.deadline());
                ASSERT_TRUE(file) << file.error().message;
                request.meeting = Meeting{*file, interfaceNamed("lo").value()};
            }
            auto group = meetOverGloo(request);
            ASSERT_TRUE(group) << group.error().message;
            EXPECT_EQ(group->interface.name, "lo");
            at::Tensor own = torch::full({3}, rank + 1.0);
            Pending sum = group->comm->allReduce(own, Reduce::Sum);
            sum.wait();
            EXPECT_EQ(own[2].item<float>(), 3);
            // The place to meet is there for others: NCCL's id is left in it.
            if (rank == 0) {
                EXPECT_TRUE(group->rendezvous.set("word", "left"));
            } else {
                EXPECT_EQ(group->rendezvous.get("word").value(), "left");
            }
            Pending together = group->comm->allReduce(own, Reduce::Sum);
            together.wait();
        });
    }
    for (std::thread& rank : ranks) rank.join();
}

TEST(GlooGroup, ARankThatDoesNotComeIsAnErrorWithinTheDeadline) {
    const TempDir folder;
    MonotonicClock clock;
    const ClusterParams cluster{.workers = 2, .timeoutS = 0.5};
    EXPECT_FALSE(meetOverGloo({.ranks = {0}, .clock = clock, .folder = folder.path(), .cluster = &cluster}));
}

}  // namespace
}  // namespace dasgd::test
