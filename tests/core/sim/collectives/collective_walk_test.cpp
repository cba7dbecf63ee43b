// Collectives by messages, walked through the engine, against their formulas.
#include "core/sim/collectives/collective_walk.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <string>

#include "core/cost/cost.h"
#include "tests/support/in_child_process.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

constexpr double kRho = 1e-9;
const LinkCost kLink{.alpha = kLatency, .beta = 1 / kBytesPerSecond, .rho = kRho};

NetworkParams with(const std::string& collective, int groupSize = 1, int servers = 1) {
    NetworkParams network;
    network.collective = collective;
    network.groupSize = groupSize;
    network.servers = servers;
    network.reduceRate = "1GB/s";
    return network;
}

using Launch = std::function<Pending(Communicator& comm, std::vector<at::Tensor>& tensors)>;

// Seconds until the last rank is through with what all launch at once; `tensors` live for as long as it takes.
double walked(int ranks, const NetworkParams& network, const Launch& launch) {
    const auto ends = inChildProcess([&] {
        std::vector<double> all;
        onVirtualCluster("star", gigabit(), {.ranks = ranks, .network = network}, [&](VirtualRank& rank) {
            std::vector<at::Tensor> tensors;
            Pending pending = launch(rank.comm, tensors);
            pending.wait();
            all.push_back(seconds(pending.interval()->end));
        });
        return all;
    });
    EXPECT_EQ(ends.size(), static_cast<std::size_t>(ranks));
    return *std::max_element(ends.begin(), ends.end());
}

at::Tensor sized(std::int64_t elements) {
    return torch::empty({elements}, at::TensorOptions().dtype(at::kFloat).device(at::kMeta));
}

double allReduceWalked(int ranks, const NetworkParams& network, std::int64_t elements) {
    return walked(ranks, network, [&](Communicator& comm, std::vector<at::Tensor>& tensors) {
        tensors.push_back(sized(elements));
        return comm.allReduce(tensors[0], Reduce::Sum);
    });
}

std::vector<NetworkParams> hierarchies(int ranks) {
    std::vector<NetworkParams> all;
    for (int size = 1; size <= ranks; ++size) {
        if (ranks % size == 0) all.push_back(with("hierarchical", size));
    }
    return all;
}

// Parameter servers with one holder of everything, with two, and with every rank one.
std::vector<NetworkParams> parameterServers(int ranks) {
    return {with("parameter-server", 1, 1), with("parameter-server", 1, 2), with("parameter-server", 1, ranks)};
}

std::vector<NetworkParams> waysOf(const std::string& collective, int ranks) {
    if (collective == "hierarchical") return hierarchies(ranks);
    if (collective == "parameter-server") return parameterServers(ranks);
    return {with(collective)};
}

std::string describe(const NetworkParams& network, int ranks, std::int64_t elements) {
    return network.collective + " P=" + std::to_string(ranks) + " G=" + std::to_string(network.groupSize) +
           " n=" + std::to_string(network.servers) + " elements=" + std::to_string(elements);
}

class ByMessages : public ::testing::TestWithParam<std::string> {};

// On a star nobody shares a link with another rank's message of the same round but the holders of a parameter server's
// shards, whose ports the formula counts: so all methods take their formula, for any number of ranks. What is left is
// the nanosecond of an instant, and SimGrid's precision of another a message.
TEST_P(ByMessages, TakesTheFormulaWherePartsAreEven) {
    for (int ranks = 2; ranks <= 17; ++ranks) {
        for (const NetworkParams& network : waysOf(GetParam(), ranks)) {
            const std::int64_t elements = static_cast<std::int64_t>(ranks) * network.servers * 256;
            const double formula =
                allReduceSeconds(network.allReduce(), kLink, 4 * static_cast<double>(elements), ranks);
            EXPECT_NEAR(allReduceWalked(ranks, network, elements), formula, 1e-4 * formula)
                << describe(network, ranks, elements);
        }
    }
}

// Parts that differ by an element: each message within one of its share (within two where a part is cut again), as in
// cost_test.
TEST_P(ByMessages, IsWithinAnElementAMessageOtherwise) {
    constexpr std::int64_t kElements = 10'007;
    for (int ranks = 2; ranks <= 17; ++ranks) {
        for (const NetworkParams& network : waysOf(GetParam(), ranks)) {
            const AllReduceKind kind = network.allReduce();
            const double formula = allReduceSeconds(kind, kLink, 4.0 * kElements, ranks);
            const auto schedule = *allReduceSchedule(kind, {4 * kElements, 4}, ranks);
            const double elements = kind.method == AllReduceMethod::Hierarchical ? 2 : 1;
            const double messages = kind.method == AllReduceMethod::ParameterServer ? ranks - 1 : 1;
            const double parts = schedule->rounds() * messages * elements * 4 * (kLink.beta + kRho);
            EXPECT_NEAR(allReduceWalked(ranks, network, kElements), formula, parts + 1e-4 * formula)
                << describe(network, ranks, kElements);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, ByMessages,
                         ::testing::Values("ring", "halving-doubling", "recursive-doubling", "tree", "hierarchical",
                                           "parameter-server"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(CollectiveWalk, TakesTheFormulaAmongMany) {
    constexpr std::int64_t kMany = 1 << 18;
    for (const char* collective : {"ring", "halving-doubling", "recursive-doubling", "tree"}) {
        const NetworkParams network = with(collective);
        const double formula = allReduceSeconds(network.allReduce(), kLink, 4.0 * kMany, 256);
        EXPECT_NEAR(allReduceWalked(256, network, kMany), formula, 1e-4 * formula) << collective;
    }
}

TEST(CollectiveWalk, AnAllGatherTakesItsFormula) {
    constexpr std::int64_t kEach = 5'003;
    for (int ranks = 2; ranks <= 17; ++ranks) {
        const double formula = allGatherSeconds(kLink, 4.0 * kEach, ranks);
        const double took = walked(ranks, with("tree"), [&](Communicator& comm, std::vector<at::Tensor>& tensors) {
            tensors.push_back(sized(kEach));
            tensors.push_back(sized(kEach * ranks).view({ranks, kEach}));
            return comm.allGather(tensors[0], tensors[1]);
        });
        EXPECT_NEAR(took, formula, 1e-4 * formula) << ranks << " ranks: a ring, whatever all-reduces do";
    }
}

TEST(CollectiveWalk, ABroadcastTakesItsFormulaFromAnyRoot) {
    constexpr std::int64_t kElements = 20'011;
    for (int ranks = 2; ranks <= 17; ++ranks) {
        const double formula = broadcastSeconds(kLink, 4.0 * kElements, ranks);
        for (const int root : {0, ranks / 2, ranks - 1}) {
            const double took = walked(ranks, with("ring"), [&](Communicator& comm, std::vector<at::Tensor>& tensors) {
                tensors.push_back(sized(kElements));
                return comm.broadcast(tensors[0], Rank{root});
            });
            EXPECT_NEAR(took, formula, 1e-4 * formula) << ranks << " ranks from " << root;
        }
    }
}

// The sum itself is computed, not simulated.
TEST_P(ByMessages, LeavesTheSumOnEveryRank) {
    constexpr std::int64_t kElements = 1'003;
    NetworkParams network = with(GetParam(), 3, 2);
    onVirtualCluster("star", gigabit(), {.ranks = 6, .network = network}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::full({kElements}, 1.0 + rank.comm.rank().value());
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_TRUE(torch::equal(tensor, torch::full({kElements}, 21.0)));
    });
}

}  // namespace
}  // namespace dasgd::test
