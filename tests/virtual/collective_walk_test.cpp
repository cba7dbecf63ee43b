// A ring by messages against its formula.
#include "core/virtual/collective_walk.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "core/virtual/cost.h"
#include "tests/support/virtual_cluster.h"

namespace dasgd::test {
namespace {

class RingByMessages : public ::testing::TestWithParam<int> {};

TEST_P(RingByMessages, TakesWhatTheFormulaSays) {
    const int ranks = GetParam();
    constexpr std::int64_t kElements = 1 << 18;
    std::vector<double> took(static_cast<std::size_t>(ranks));
    onVirtualCluster("star", gigabit(), {.ranks = ranks}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({kElements});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_EQ(tensor[kElements - 1].item<float>(), static_cast<float>(ranks));
        took[static_cast<std::size_t>(rank.comm.rank().value())] = seconds(pending.interval().end);
    });
    const double formula =
        ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 4.0 * kElements, ranks);
    for (const double each : took) EXPECT_NEAR(each, formula, 0.001 * formula);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RingByMessages, ::testing::Values(2, 3, 4, 8, 32, 256));

TEST(CollectiveWalk, AddsUpAtTheRateThatWasGiven) {
    NetworkParams rate;
    rate.reduceRate = "1GB/s";
    onVirtualCluster("star", gigabit(), {.ranks = 4, .network = rate}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({1 << 18});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        const double formula =
            ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond, .rho = 1e-9}, 1 << 20, 4);
        EXPECT_NEAR(seconds(pending.interval().end), formula, 1e-6);
    });
}

}  // namespace
}  // namespace dasgd::test
