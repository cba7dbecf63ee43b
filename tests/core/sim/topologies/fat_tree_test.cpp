#include <gmock/gmock.h>

#include "tests/support/sim/messages.h"

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

TEST(FatTree, RefusesMoreThanCanBeBuilt) {
    const auto refused = [](const Value& down, const Value& up, const Value& parallel) {
        return refusalOf17("fat-tree", {{"down", down}, {"up", up}, {"parallel", parallel}});
    };
    const Value one = integers({1, 1});
    EXPECT_THAT(refused(integers({512, 256}), one, one),
                ::testing::HasSubstr("131072 hosts (512 x 256), and all are built, used or not: 65536 at most; make "
                                     "down, up or parallel smaller"));
    // 64 above each of 8 fours of hosts, then 64 · 4096 above those.
    EXPECT_THAT(refused(integers({4, 8}), integers({64, 4096}), one), ::testing::HasSubstr("262656 switches"));
    EXPECT_THAT(refused(integers({64, 64}), integers({1, 64}), integers({1, 4096})),
                ::testing::HasSubstr("16781312 links, and all are built, used or not: 262144 at most"));
    EXPECT_EQ(refused(integers({256, 256}), one, one), "");
}

}  // namespace
}  // namespace dasgd::test
