#include <gmock/gmock.h>

#include "tests/support/messages.h"

namespace dasgd::test {
namespace {

TEST(FatTree, AFatTreeIsShorterBelowOneSwitch) {
    const Value network =
        table(equalLinks({{"down", integers({2, 2})}, {"up", integers({1, 2})}, {"parallel", integers({1, 1})}}));
    const auto took = messages("fat-tree", network, 4, {{0, 1}, {2, 0}});
    EXPECT_NEAR(took[0], 2 * kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 4 * kHop + kTransfer, kClose);
}

TEST(FatTree, RefusesMoreWorkersThanHosts) {
    EXPECT_THAT(
        refusalOf17("fat-tree", {{"down", integers({4, 4})}, {"up", integers({1, 1})}, {"parallel", integers({1, 1})}}),
        ::testing::HasSubstr("16 hosts (4 x 4) for 17 workers"));
}

}  // namespace
}  // namespace dasgd::test
