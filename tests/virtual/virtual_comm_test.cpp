#include "core/virtual/virtual_comm.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "tests/support/virtual_cluster.h"

namespace dasgd::test {
namespace {

TEST(VirtualCommunicator, MessagesFindTheirTag) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
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

TEST(VirtualCommunicator, CountsWhatARingSends) {
    onVirtualCluster("star", gigabit(), {.ranks = 4}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({1000}), all = torch::empty({4, 1000});
        Pending reduced = rank.comm.allReduce(tensor, Reduce::Sum);
        reduced.wait();
        EXPECT_EQ(rank.comm.bytesSent(), 2 * 4000 * 3 / 4);
        Pending gathered = rank.comm.allGather(tensor, all);
        gathered.wait();
        EXPECT_EQ(rank.comm.bytesSent(), 2 * 4000 * 3 / 4 + 4000 * 3);
        EXPECT_EQ(all[3][999].item<float>(), 4);
        EXPECT_EQ(gathered.collective(), 2U);
    });
}

}  // namespace
}  // namespace dasgd::test
