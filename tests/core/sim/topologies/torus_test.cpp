#include <gmock/gmock.h>

#include "tests/support/sim/messages.h"

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

TEST(Torus, RefusesMoreHostsThanCanBeBuilt) {
    EXPECT_THAT(
        refusalOf17("torus", {{"dimensions", integers({4096, 4096})}}),
        ::testing::HasSubstr("16777216 hosts (4096 x 4096), and all are built, used or not: 65536 at most; make "
                             "dimensions smaller"));
    EXPECT_THAT(refusalOf17("torus", {{"dimensions", integers({4096, 4096, 4096, 4096, 4096, 4096, 4096})}}),
                ::testing::HasSubstr("1.93428131138341e+25 hosts"));
    EXPECT_EQ(refusalOf17("torus", {{"dimensions", integers({256, 256})}}), "");
    EXPECT_THAT(refusalOf17("torus", {{"dimensions", integers({257, 256})}}), ::testing::HasSubstr("65792 hosts"));
    EXPECT_THAT(refusalOf17("torus", {{"dimensions", integers({16, 16, 16, 16, 1})}}),
                ::testing::HasSubstr("327680 links, and all are built, used or not: 262144 at most"));
}

}  // namespace
}  // namespace dasgd::test
