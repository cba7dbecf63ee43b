// Turns of collectives on a rank's link.
#include "core/sim/collectives/group.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

#include "core/cost/cost.h"
#include "tests/support/in_child_process.h"
#include "tests/support/sim/virtual_cluster.h"

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
        EXPECT_NEAR(seconds(one.interval()->end), each, 1e-6);
        EXPECT_EQ(two.interval()->start, one.interval()->end);
        EXPECT_NEAR(seconds(two.interval()->end), 2 * each, 1e-6);
    });
}

TEST(VirtualGroup, StartsWhenTheLastRankHasCome) {
    onVirtualCluster("star", gigabit(), {.ranks = 3}, [&](VirtualRank& rank) {
        if (rank.comm.rank() == Rank{2}) rank.clock.sleepUntil(50'000'000);
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        const double alone = ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 1e6, 3);
        EXPECT_GT(seconds(pending.interval()->end), 0.05 + 0.5 * alone);
        EXPECT_LE(seconds(pending.interval()->end), 0.05 + alone + 1e-6);
    });
}

TEST(VirtualGroup, LetsWhatIsFreePassByInNoTime) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor large = torch::ones({250'000}), small = torch::ones({4});
        Pending busy = rank.comm.allReduce(large, Reduce::Sum);
        rank.simulatedTime.setUntimed(true);
        Pending free = rank.comm.allReduce(small, Reduce::Sum);
        free.wait();
        rank.simulatedTime.setUntimed(false);
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
        EXPECT_NEAR(seconds(pending.interval()->end),
                    treeAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 1e6, 5), 1e-8);
    });
}

// Nodes of four ranks: 10 Gbit/s and 5 µs to each rank, 1 Gbit/s and 50 µs to each node.
constexpr double kNodeLatency = 5e-6, kNodeBytesPerSecond = 1.25e9;
Value nodesOfFour() {
    const Value within = table({{"bandwidth", text("10Gbps")}, {"latency", text("5us")}});
    return table({{"per_node", integer(4)}, {"within", within}, {"between", gigabit()}});
}

constexpr std::int64_t kHierarchyBytes = 4L * 12 * 25'000;  // 1.2 MB, which groups and rings divide evenly

// Seconds until the last of 12 ranks has a hierarchical all-reduce of kHierarchyBytes on the network `name`.
double hierarchy(const std::string& name, const Value& network, int groupSize, const char* fidelity) {
    NetworkParams params;
    params.collective = "hierarchical";
    params.groupSize = groupSize;
    params.fidelity = fidelity;
    params.reduceRate = "2GB/s";
    params.efficiency = 0.8;
    const auto ends = inChildProcess([&] {
        std::vector<double> all;
        onVirtualCluster(name, network, {.ranks = 12, .network = params}, [&](VirtualRank& rank) {
            at::Tensor tensor = torch::empty({kHierarchyBytes / 4}, at::TensorOptions().device(at::kMeta));
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
            all.push_back(seconds(pending.interval()->end));
        });
        return all;
    });
    return *std::max_element(ends.begin(), ends.end());
}

TEST(VirtualGroup, AHierarchyByFormulaPaysForTheLinksThatItUses) {
    const double rho = 1 / 2e9, reached = 0.8;
    const LinkCost within{.alpha = kNodeLatency, .beta = 1 / (reached * kNodeBytesPerSecond), .rho = rho};
    // Four rings share a node's card.
    const LinkCost between{.alpha = kNodeLatency + kLatency, .beta = 4 / (reached * kBytesPerSecond), .rho = rho};
    EXPECT_NEAR(hierarchy("two-level", nodesOfFour(), 4, "formula"),
                hierarchicalAllReduceSeconds(within, between, kHierarchyBytes, 12, 4), 1e-8);
}

// Groups that are nodes, that are halves of nodes, and that lie across nodes.
class Hierarchies : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

// Where all ranks are in the same round, links are shared as the formula has it, to what SimGrid can tell apart. On a
// ring the way from the last of a group back to its first is longer than the others, so that its ranks do not end
// together, and the rings between the groups do not meet all at once: for that it gets 3 %.
TEST_P(Hierarchies, TakeTheSameTimeByFormulaAsByMessages) {
    const auto& [name, groupSize] = GetParam();
    const Value network = name == "two-level" ? nodesOfFour() : gigabit();
    const double byMessages = hierarchy(name, network, groupSize, "message");
    const double within = name == "ring" ? 0.03 : 0.001;
    EXPECT_NEAR(hierarchy(name, network, groupSize, "formula"), byMessages, within * byMessages);
}

INSTANTIATE_TEST_SUITE_P(Groups, Hierarchies,
                         ::testing::Combine(::testing::Values("two-level", "star", "ring"),
                                            ::testing::Values(1, 2, 3, 4, 6, 12)));

TEST(VirtualGroup, TakesTheTimeThatTheAuthorsReckon) {
    NetworkParams authors;
    authors.fidelity = "formula";
    authors.collective = "authors-tree";
    authors.efficiency = 0.5;
    onVirtualCluster("star", gigabit(), {.ranks = 5, .network = authors}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_NEAR(seconds(pending.interval()->end),
                    authorsExchangeSeconds(AuthorsExchange::Tree, kBytesPerSecond / 2, 1e6, 5), 1e-8)
            << "no latency";
    });
}

}  // namespace
}  // namespace dasgd::test
