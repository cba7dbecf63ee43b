#include "core/sim/engine/virtual_comm.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <functional>
#include <vector>

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

// What each rank has sent after `collective`, in units of what one gave.
std::vector<double> sentIn(int ranks, const NetworkParams& network,
                           const std::function<Pending(Communicator& comm, at::Tensor& tensor)>& collective) {
    std::vector<double> sent(static_cast<std::size_t>(ranks));
    onVirtualCluster("star", gigabit(), {.ranks = ranks, .network = network}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({1200});
        for (int times = 0; times < 2; ++times) {
            Pending pending = collective(rank.comm, tensor);
            pending.wait();
        }
        sent[static_cast<std::size_t>(rank.comm.rank().value())] =
            static_cast<double>(rank.comm.bytesSent()) / 2 / 4800;
    });
    return sent;
}

using ::testing::ElementsAre;

struct Sent {
    NetworkParams network;
    std::vector<double> all;
};

class AllReduceOfFour : public ::testing::TestWithParam<Sent> {};

TEST_P(AllReduceOfFour, CountsWhatEachRankSends) {
    const auto reduce = [](Communicator& comm, at::Tensor& tensor) { return comm.allReduce(tensor, Reduce::Max); };
    EXPECT_EQ(sentIn(4, GetParam().network, reduce), GetParam().all);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, AllReduceOfFour,
    ::testing::Values(Sent{{.collective = "ring"}, {1.5, 1.5, 1.5, 1.5}},
                      Sent{{.collective = "halving-doubling"}, {1.5, 1.5, 1.5, 1.5}},
                      Sent{{.collective = "recursive-doubling"}, {2, 2, 2, 2}},
                      // Up one edge each but the root, and down: the root twice, the other inner one once.
                      Sent{{.collective = "tree"}, {2, 1, 2, 1}},
                      Sent{{.collective = "hierarchical", .groupSize = 2}, {1.5, 1.5, 1.5, 1.5}},
                      Sent{{.collective = "parameter-server"}, {3, 1, 1, 1}},
                      // A holder gives the other its half, and three their pulls of its own.
                      Sent{{.collective = "parameter-server", .servers = 2}, {2, 2, 1, 1}},
                      Sent{{.fidelity = "formula", .collective = "tree"}, {2, 1, 2, 1}},
                      Sent{{.fidelity = "formula", .collective = "authors-tree"}, {4, 4, 4, 4}},
                      Sent{{.fidelity = "formula", .collective = "authors-one-to-all"}, {6, 6, 6, 6}}));

TEST(VirtualCommunicator, CountsWhatTheTreeOfABroadcastSends) {
    const auto fromTwo = [](Communicator& comm, at::Tensor& tensor) { return comm.broadcast(tensor, Rank{2}); };
    // Rank 2 to ranks 0 and 3, and rank 0 to rank 1.
    EXPECT_THAT(sentIn(4, {}, fromTwo), ElementsAre(1, 0, 2, 0));
}

TEST(VirtualCommunicator, CountsEverySizeByItself) {
    NetworkParams tree;
    tree.collective = "tree";
    onVirtualCluster("star", gigabit(), {.ranks = 2, .network = tree}, [&](VirtualRank& rank) {
        for (const std::int64_t elements : {10, 1000, 10}) {
            at::Tensor tensor = torch::ones({elements});
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
        }
        EXPECT_EQ(rank.comm.bytesSent(), 4 * 1020);
    });
}

}  // namespace
}  // namespace dasgd::test
