#include <gmock/gmock.h>

#include "tests/support/messages.h"

namespace dasgd::test {
namespace {

TEST(Dragonfly, ADragonflyIsLongerBetweenGroups) {
    const Value network = table(
        equalLinks({{"groups", integer(2)}, {"chassis", integer(1)}, {"routers", integer(2)}, {"hosts", integer(2)}}));
    const auto took = messages("dragonfly", network, 8, {{0, 1}, {2, 6}});
    EXPECT_NEAR(took[0], 2 * kHop + kTransfer, kClose) << "one router";
    EXPECT_GT(took[1], 2.5 * kHop + kTransfer);
}

TEST(Dragonfly, RefusesMoreWorkersThanHosts) {
    EXPECT_THAT(
        refusalOf17("dragonfly",
                    {{"groups", integer(1)}, {"chassis", integer(2)}, {"routers", integer(4)}, {"hosts", integer(2)}}),
        ::testing::HasSubstr("16 hosts (groups x chassis x routers x hosts) for 17 workers"));
}

}  // namespace
}  // namespace dasgd::test
