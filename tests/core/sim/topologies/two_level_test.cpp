#include <gmock/gmock.h>

#include "tests/support/sim/messages.h"

namespace dasgd::test {
namespace {

TEST(TwoLevel, TheRanksOfANodeShareItsCard) {
    const Value within = table({{"bandwidth", text("100Gbps")}, {"latency", text("0ms")}});
    const Value network = table({{"per_node", integer(2)}, {"within", within}, {"between", table(equalLinks())}});
    const auto took = messages("two-level", network, 6, {{0, 1}, {2, 4}, {3, 5}});
    EXPECT_NEAR(took[0], kTransfer / 100, kClose) << "does not leave the node";
    EXPECT_NEAR(took[1], kHop + 2 * kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + 2 * kTransfer, kClose);
}

}  // namespace
}  // namespace dasgd::test
