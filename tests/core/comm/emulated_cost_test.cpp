// core/comm may not see core/virtual, so that the emulated link holds its own few formulas: they stay those of the cost
// model.
#include <gmock/gmock.h>

#include "core/comm/emulated_link.h"
#include "core/cost/cost.h"

namespace dasgd {
namespace {

TEST(EmulatedCost, TheEmulatedLinkChargesWhatTheModelDoes) {
    constexpr Link kEmulated{.latencyS = 0.002, .bytesPerSecond = 1e6};
    constexpr LinkCost kModel{.alpha = 0.002, .beta = 1e-6};
    for (const int ranks : {1, 2, 3, 4, 7, 8, 9, 256}) {
        SCOPED_TRACE(ranks);
        EXPECT_DOUBLE_EQ(ringAllReduceSeconds(kEmulated, 1000, ranks), ringAllReduceSeconds(kModel, 1000, ranks));
        EXPECT_DOUBLE_EQ(allGatherSeconds(kEmulated, 1000, ranks), allGatherSeconds(kModel, 1000, ranks));
        EXPECT_DOUBLE_EQ(broadcastSeconds(kEmulated, 1000, ranks), broadcastSeconds(kModel, 1000, ranks));
    }
    EXPECT_DOUBLE_EQ(messageSeconds(kEmulated, 1000), messageSeconds(kModel, 1000));
}

}  // namespace
}  // namespace dasgd
