#include "core/sim/network/wire.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

TEST(Wire, TakesTheLatencyForAnEmptyMessage) {
    const Value network = table({{"bandwidth", text("1Gbps")}, {"latency", text("3ms")}});
    onVirtualCluster("star", network, {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::empty({0});
        Pending pending =
            rank.comm.rank() == Rank{0} ? rank.comm.send(tensor, Rank{1}, 0) : rank.comm.receive(tensor, Rank{0}, 0);
        pending.wait();
        EXPECT_EQ(rank.clock.now(), 3'000'000);
    });
}

TEST(Wire, FindsTheWorstLinkBetweenNeighbours) {
    NetworkParams formula;
    formula.fidelity = "formula";
    const Value network =
        table({{"bandwidth", text("1Gbps")}, {"latency", text("1ms")}, {"bandwidth_factors", vector({1, 0.5, 1})}});
    onVirtualCluster("star", network, {.ranks = 3, .network = formula}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        // 4 messages of 1 ms, and 4/3 of 1 MB at 62.5 MB/s.
        EXPECT_NEAR(static_cast<double>(pending.interval()->end) * 1e-9, 0.004 + 4.0 / 3 * 1e6 / 62.5e6, 1e-8);
    });
}

// Two messages leave rank 0 at once through its one link, of whose bandwidth a quarter is lost.
TEST(Wire, MessagesShareWhatTheNetworkReaches) {
    NetworkParams network;
    network.efficiency = 0.75;
    onVirtualCluster("star", gigabit(), {.ranks = 3, .network = network}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        std::vector<Pending> pending;
        if (rank.comm.rank() == Rank{0}) {
            for (const int to : {1, 2}) pending.push_back(rank.comm.send(tensor, Rank{to}, 0));
        } else {
            pending.push_back(rank.comm.receive(tensor, Rank{0}, 0));
        }
        for (Pending& each : pending) {
            each.wait();
            EXPECT_NEAR(seconds(each.interval()->end), kLatency + 2 * 1e6 / (0.75 * kBytesPerSecond), 1e-8);
        }
    });
}

}  // namespace
}  // namespace dasgd::test
