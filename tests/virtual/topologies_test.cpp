// Where messages go and whom they meet there.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include "core/virtual/cost.h"
#include "tests/support/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kElements = 250'000;  // 1 MB: 8 ms over 1 Gbit/s
constexpr double kTransfer = 0.008;
constexpr double kHop = 0.001;

struct Way {
    int from, to;
};

// Seconds that each of these messages of 1 MB takes, all sent at once.
std::vector<double> messages(const std::string& topology, const Value& network, int ranks,
                             const std::vector<Way>& ways) {
    std::vector<double> took(ways.size());
    onVirtualCluster(topology, network, {.ranks = ranks}, [&](VirtualRank& rank) {
        std::vector<Pending> pending(ways.size());
        std::vector<at::Tensor> tensors;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            tensors.push_back(torch::ones({kElements}));
            const int own = rank.comm.rank().value();
            const int tag = static_cast<int>(i);
            if (ways[i].from == own) pending[i] = rank.comm.send(tensors[i], Rank(ways[i].to), tag);
            if (ways[i].to == own) pending[i] = rank.comm.receive(tensors[i], Rank(ways[i].from), tag);
        }
        for (std::size_t i = 0; i < ways.size(); ++i) {
            if (!pending[i]) continue;
            pending[i].wait();
            took[i] = static_cast<double>(pending[i].interval().end) * 1e-9;
        }
    });
    return took;
}

Fields equalLinks(Fields fields = {}) {
    fields.emplace_back("bandwidth", text("1Gbps"));
    fields.emplace_back("latency", text("1ms"));
    return fields;
}

Value integers(const std::vector<std::int64_t>& values) { return array(values); }

constexpr double kClose = 1e-6;

TEST(Topologies, AStarSharesOnlyItsHostsLinks) {
    const auto took = messages("star", table(equalLinks()), 4, {{0, 1}, {2, 1}, {1, 3}});
    EXPECT_NEAR(took[0], kHop + 2 * kTransfer, kClose) << "two share the way into host 1";
    EXPECT_NEAR(took[1], kHop + 2 * kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + kTransfer, kClose) << "the way out of it is another one";
}

TEST(Topologies, AStarMayHaveUnequalLinks) {
    const auto took =
        messages("star", table(equalLinks({{"bandwidth_factors", vector({1, 0.25})}})), 4, {{0, 2}, {1, 3}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], kHop + 4 * kTransfer, kClose);
}

TEST(Topologies, ARingCountsItsHopsTheShorterWay) {
    const auto took = messages("ring", table(equalLinks()), 6, {{0, 1}, {3, 5}, {0, 5}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 2 * kHop + kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + kTransfer, kClose);
}

TEST(Topologies, ATorusSharesTheLinksOnTheWay) {
    // 3 x 3: 0 → 2 are neighbours around the edge; 0 → 4 turns a corner.
    const auto took = messages("torus", table(equalLinks({{"dimensions", integers({3, 3})}})), 9, {{0, 2}, {0, 4}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 2 * kHop + kTransfer, kClose);
}

TEST(Topologies, AFatTreeIsShorterBelowOneSwitch) {
    const Value network =
        table(equalLinks({{"down", integers({2, 2})}, {"up", integers({1, 2})}, {"parallel", integers({1, 1})}}));
    const auto took = messages("fat-tree", network, 4, {{0, 1}, {2, 0}});
    EXPECT_NEAR(took[0], 2 * kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 4 * kHop + kTransfer, kClose);
}

TEST(Topologies, ADragonflyIsLongerBetweenGroups) {
    const Value network = table(
        equalLinks({{"groups", integer(2)}, {"chassis", integer(1)}, {"routers", integer(2)}, {"hosts", integer(2)}}));
    const auto took = messages("dragonfly", network, 8, {{0, 1}, {2, 6}});
    EXPECT_NEAR(took[0], 2 * kHop + kTransfer, kClose) << "one router";
    EXPECT_GT(took[1], 2.5 * kHop + kTransfer);
}

TEST(Topologies, TheRanksOfANodeShareItsCard) {
    const Value within = table({{"bandwidth", text("100Gbps")}, {"latency", text("0ms")}});
    const Value network = table({{"per_node", integer(2)}, {"within", within}, {"between", table(equalLinks())}});
    const auto took = messages("two-level", network, 6, {{0, 1}, {2, 4}, {3, 5}});
    EXPECT_NEAR(took[0], kTransfer / 100, kClose) << "does not leave the node";
    EXPECT_NEAR(took[1], kHop + 2 * kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + 2 * kTransfer, kClose);
}

TEST(Topologies, WithTooFewHostsAreRefused) {
    const auto refused = [](const std::string& name, Fields fields) {
        return TopologyRegistry::find(name)->create(table(std::move(fields)), {}).value()->check(17).error().message;
    };
    EXPECT_THAT(refused("torus", {{"dimensions", integers({4, 4})}}), HasSubstr("16 hosts (4 x 4) for 17 workers"));
    EXPECT_THAT(
        refused("fat-tree", {{"down", integers({4, 4})}, {"up", integers({1, 1})}, {"parallel", integers({1, 1})}}),
        HasSubstr("16 hosts (4 x 4) for 17 workers"));
    EXPECT_THAT(
        refused("dragonfly",
                {{"groups", integer(1)}, {"chassis", integer(2)}, {"routers", integer(4)}, {"hosts", integer(2)}}),
        HasSubstr("16 hosts (groups x chassis x routers x hosts) for 17 workers"));
}

}  // namespace
}  // namespace dasgd::test
