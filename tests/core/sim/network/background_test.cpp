// Traffic of others on the links.
#include "core/sim/network/background.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cmath>

#include "core/cost/cost.h"
#include "core/sim/network/simgrid.h"
#include "tests/support/in_child_process.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

NetworkParams withSettings(const BackgroundParams& background) {
    NetworkParams network;
    network.background = background;
    return network;
}

// Seconds that a ring all-reduce of so many elements takes each of two ranks.
std::vector<double> ringOfTwo(std::int64_t elements, const NetworkParams& network) {
    return inChildProcess([&] {
        std::vector<double> took;
        onVirtualCluster("star", gigabit(), {.ranks = 2, .network = network}, [&](VirtualRank& rank) {
            at::Tensor tensor = torch::empty({elements}, at::TensorOptions().device(at::kMeta));
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
            took.push_back(seconds(pending.interval()->end));
        });
        return took;
    });
}

// A message that is always there gets 1 − ρ of a link that it shares evenly with messages of others, whatever their
// sizes: the link works all the time, and they have their ρ of it (a processor-sharing queue with one permanent
// customer). Both ways of a ring of two carry background of load 0.4. The number n of messages on one of them scatters
// by √n, so the time by ρ/(1−ρ)/√n of itself, and the later of both ways counts in either round.
TEST(Background, TakesItsShareOfARing) {
    constexpr double kLoad = 0.4, kBytes = 1e9, kMessage = 100e3;
    const double alone = ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, kBytes, 2);
    const double expected = alone / (1 - kLoad);
    const double messages = kLoad * kBytesPerSecond * expected / 2 / kMessage;  // in one round, on one way
    const double spread = expected * kLoad / (1 - kLoad) / std::sqrt(messages);
    for (const std::int64_t seed : {1, 2, 3}) {
        const auto took = ringOfTwo(250'000'000, withSettings({.load = kLoad, .message = "100kB", .seed = seed}));
        EXPECT_NEAR(took[0], expected, 5 * spread) << "alone it takes " << alone;
    }
}

TEST(Background, IsTheSameAgainAndAnotherWithAnotherSeed) {
    const auto once = ringOfTwo(25'000'000, withSettings({.seed = 5}));
    EXPECT_EQ(once, ringOfTwo(25'000'000, withSettings({.seed = 5})));
    EXPECT_NE(once, ringOfTwo(25'000'000, withSettings({.seed = 6})));
}

TEST(Background, OfNoLoadChangesNothing) {
    EXPECT_EQ(ringOfTwo(250'000, withSettings({.load = 0})), ringOfTwo(250'000, {}));
}

TEST(Background, StopsWhenTheRanksHaveEnded) {
    onVirtualCluster("star", gigabit(), {.ranks = 3, .network = withSettings({})},
                     [&](VirtualRank& rank) { rank.clock.sleepUntil(1'000'000'000); });
    // The test gets here only if the engine ended; it ran on for the messages under way alone.
    EXPECT_LT(simgrid::s4u::Engine::get_clock(), 1.5);
}

TEST(Background, LeavesTheReportOfADeadlockAlone) {
    std::string heard;
    onVirtualCluster("star", gigabit(),
                     {.ranks = 2, .timeout = std::chrono::milliseconds(2000), .network = withSettings({})},
                     [&](VirtualRank& rank) {
                         if (rank.comm.rank() == Rank{1}) return;
                         at::Tensor tensor = torch::ones({4});
                         Pending pending = rank.comm.receive(tensor, Rank{1}, 3);
                         try {
                             pending.wait();
                         } catch (const CommError& error) {
                             heard = error.what();
                         }
                     });
    EXPECT_THAT(heard, ::testing::HasSubstr("did not end within 2000 ms of simulated time; rank 1 has ended"));
}

double messagesPerSecondAtHalfLoad(const std::string& name, const Value& network, int ranks) {
    const auto topology = TopologyRegistry::find(name)->create(network, {});
    const SimGridEngine engine;
    Wire wire(topology.value()->build(ranks).value());
    engine->seal_platform();
    return Background({.load = 0.5, .message = "1MB"}, 1, wire).messagesPerSecond();
}

TEST(Background, LoadsEveryLinkOfAStar) {
    // Each of 200 hosts' links carries one message in 200, each way.
    EXPECT_NEAR(messagesPerSecondAtHalfLoad("star", gigabit(), 200), 200 * 0.5 * kBytesPerSecond / 1e6, 1e-6);
}

TEST(Background, LoadsTheBusiestLinkOfTwoLevels) {
    // 16 of the 56 ordered pairs of ranks leave a node of four through its card.
    const Value network =
        table({{"per_node", integer(4)}, {"within", table({{"bandwidth", text("100Gbps")}})}, {"between", gigabit()}});
    EXPECT_NEAR(messagesPerSecondAtHalfLoad("two-level", network, 8), 56.0 / 16 * 0.5 * kBytesPerSecond / 1e6, 1e-6);
}

TEST(Background, NeedsMessages) {
    NetworkParams params;
    const Value formula = table({{"fidelity", text("formula")}, {"background", table({})}});
    const auto read = readFields(formula, params);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, ::testing::HasSubstr("set fidelity = \"message\""));
    const auto size = readFields(table({{"background", table({{"message", text("big")}})}}), params);
    EXPECT_THAT(size.error().message, ::testing::HasSubstr("as 1MB"));
}

}  // namespace
}  // namespace dasgd::test
