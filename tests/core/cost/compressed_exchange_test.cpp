#include "core/cost/compressed_exchange.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

const LinkCost kStageLink{.alpha = 1e-3, .beta = 1e-8, .rho = 1e-9};

TEST(CompressedExchange, AStageTakesTheTimeOfItsCollective) {
    // algorithms.md D5: sum 2m(P−1)/P, gather (P−1)(α+mβ), and the first half of shard (P−1)α + m(P−1)/P·β.
    EXPECT_DOUBLE_EQ(stageSeconds({CompressedExchange::Collective::AllReduce, 1'000'000}, {}, kStageLink, 4),
                     6e-3 + 1.5e6 * 1e-8 + 0.75e6 * 1e-9);
    EXPECT_DOUBLE_EQ(
        stageSeconds({CompressedExchange::Collective::AllReduce, 1'000'000}, {AllReduceMethod::Tree}, kStageLink, 8),
        6 * (1e-3 + 1e6 * 1e-8) + 3 * 1e6 * 1e-9);
    EXPECT_DOUBLE_EQ(stageSeconds({CompressedExchange::Collective::AllGather, 1'000'000}, {}, kStageLink, 4),
                     3 * (1e-3 + 1e6 * 1e-8));
    EXPECT_DOUBLE_EQ(stageSeconds({CompressedExchange::Collective::AllToAll, 1'000'000}, {}, kStageLink, 4),
                     3e-3 + 0.75e6 * 1e-8);
    for (const CompressedExchange::Collective each :
         {CompressedExchange::Collective::AllReduce, CompressedExchange::Collective::AllGather,
          CompressedExchange::Collective::AllToAll}) {
        EXPECT_EQ(stageSeconds({each, 1'000'000}, {}, kStageLink, 1), 0);
        EXPECT_EQ(sentInStage({each, 1'000'000}, 1), 0);
    }
}

TEST(CompressedExchange, AStageSendsWholeBytes) {
    EXPECT_EQ(sentInStage({CompressedExchange::Collective::AllReduce, 1001}, 4), 1501) << "2 · 1001 · 3/4";
    EXPECT_EQ(sentInStage({CompressedExchange::Collective::AllGather, 1001}, 4), 3003);
    EXPECT_EQ(sentInStage({CompressedExchange::Collective::AllToAll, 1000}, 4), 750);
}

}  // namespace
}  // namespace dasgd
