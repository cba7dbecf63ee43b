// Whose turn it is on a rank's link.
#include "core/virtual/group.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "core/virtual/cost.h"
#include "tests/support/virtual_cluster.h"

namespace dasgd::test {
namespace {

TEST(VirtualGroup, LetsCollectivesGoOneAfterTheOther) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor first = torch::ones({250'000}), second = torch::ones({250'000});
        Pending one = rank.comm.allReduce(first, Reduce::Sum);
        Pending two = rank.comm.allReduce(second, Reduce::Sum);
        two.wait();
        one.wait();
        const double each = ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 1e6, 2);
        EXPECT_NEAR(seconds(one.interval().end), each, 1e-6);
        EXPECT_EQ(two.interval().start, one.interval().end);
        EXPECT_NEAR(seconds(two.interval().end), 2 * each, 1e-6);
    });
}

TEST(VirtualGroup, StartsWhenTheLastRankHasCome) {
    onVirtualCluster("star", gigabit(), {.ranks = 3}, [&](VirtualRank& rank) {
        if (rank.comm.rank() == Rank{2}) rank.clock.sleepUntil(50'000'000);
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        const double alone = ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 1e6, 3);
        EXPECT_GT(seconds(pending.interval().end), 0.05 + 0.5 * alone);
        EXPECT_LE(seconds(pending.interval().end), 0.05 + alone + 1e-6);
    });
}

TEST(VirtualGroup, LetsWhatIsFreePassByInNoTime) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor large = torch::ones({250'000}), small = torch::ones({4});
        Pending busy = rank.comm.allReduce(large, Reduce::Sum);
        rank.pace.setFree(true);
        Pending free = rank.comm.allReduce(small, Reduce::Sum);
        free.wait();
        rank.pace.setFree(false);
        EXPECT_EQ(rank.clock.now(), 0);
        EXPECT_EQ(small[0].item<float>(), 2);
        EXPECT_FALSE(busy.done());
        busy.wait();
    });
}

TEST(VirtualGroup, ByFormulaTakesTheFormulasTime) {
    NetworkParams formula;
    formula.fidelity = "formula";
    formula.collective = "tree";
    onVirtualCluster("star", gigabit(), {.ranks = 5, .network = formula}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_NEAR(seconds(pending.interval().end),
                    treeAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 1e6, 5), 1e-8);
    });
}

TEST(VirtualGroup, TakesTheTimeThatTheAuthorsReckon) {
    NetworkParams authors;
    authors.fidelity = "formula";
    authors.collective = "authors-tree";
    authors.efficiency = 0.5;
    onVirtualCluster("star", gigabit(), {.ranks = 5, .network = authors}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_NEAR(seconds(pending.interval().end),
                    authorsExchangeSeconds(AuthorsExchange::Tree, kBytesPerSecond / 2, 1e6, 5), 1e-8)
            << "no latency";
    });
}

}  // namespace
}  // namespace dasgd::test
