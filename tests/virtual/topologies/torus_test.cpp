#include <gmock/gmock.h>

#include "tests/support/messages.h"

namespace dasgd::test {
namespace {

TEST(Torus, ARingCountsItsHopsTheShorterWay) {
    const auto took = messages("ring", table(equalLinks()), 6, {{0, 1}, {3, 5}, {0, 5}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 2 * kHop + kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + kTransfer, kClose);
}

TEST(Torus, ATorusSharesTheLinksOnTheWay) {
    // 3 x 3: 0 → 2 are neighbours around the edge; 0 → 4 turns a corner.
    const auto took = messages("torus", table(equalLinks({{"dimensions", integers({3, 3})}})), 9, {{0, 2}, {0, 4}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 2 * kHop + kTransfer, kClose);
}

TEST(Torus, RefusesMoreWorkersThanHosts) {
    EXPECT_THAT(refusalOf17("torus", {{"dimensions", integers({4, 4})}}),
                ::testing::HasSubstr("16 hosts (4 x 4) for 17 workers"));
}

}  // namespace
}  // namespace dasgd::test
