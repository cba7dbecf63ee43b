#include <gmock/gmock.h>

#include "tests/support/sim/messages.h"

namespace dasgd::test {
namespace {

TEST(Dragonfly, ADragonflyIsLongerBetweenGroups) {
    const Value network = table(
        equalLinks({{"groups", integer(2)}, {"chassis", integer(1)}, {"routers", integer(2)}, {"hosts", integer(2)}}));
    const auto took = messages("dragonfly", network, 8, {{0, 1}, {2, 6}});
    EXPECT_NEAR(took[0], 2 * kHop + kTransfer, kClose) << "one router";
    EXPECT_GT(took[1], 2.5 * kHop + kTransfer);
}

std::string refused(const Fields& fields) {
    const auto made = TopologyRegistry::find("dragonfly")->create(table(fields), {});
    return made ? std::string() : made.error().message;
}

TEST(Dragonfly, RefusesMoreGroupsThanRoutersLeadTo) {
    EXPECT_THAT(refused({{"groups", integer(8)}}),
                ::testing::HasSubstr("groups is 8 and a chassis has 4 routers; each of them leads to one group: set "
                                     "routers to at least groups"));
    EXPECT_THAT(refused({{"routers", integer(3)}}), ::testing::HasSubstr("groups is 4 and a chassis has 3 routers"));
    EXPECT_EQ(refused({}), "") << "the defaults";
    EXPECT_EQ(refused({{"groups", integer(1)}, {"routers", integer(1)}}), "");
}

// The network has as many groups as routers in a chassis, each leading to another group; six hosts a group, the last
// ones in its second chassis.
TEST(Dragonfly, LeadsFromEveryGroupToEveryOther) {
    const Value network = table(
        equalLinks({{"groups", integer(3)}, {"chassis", integer(2)}, {"routers", integer(3)}, {"hosts", integer(1)}}));
    std::vector<Way> ways;
    for (int from = 0; from < 3; ++from) {
        for (int to = 0; to < 3; ++to) {
            if (from != to) ways.push_back({6 * from + 4, 6 * to + 5});
        }
    }
    // A way has up to two links on either side of the one between the groups, and those of the hosts.
    for (const double each : messages("dragonfly", network, 18, ways)) {
        EXPECT_GE(each, 3 * kHop + kTransfer);
        EXPECT_LE(each, 7 * kHop + static_cast<double>(ways.size()) * kTransfer);
    }
}

TEST(Dragonfly, RefusesMoreThanCanBeBuilt) {
    EXPECT_THAT(refusalOf17("dragonfly", {{"groups", integer(64)}, {"routers", integer(64)}, {"hosts", integer(64)}}),
                ::testing::HasSubstr("524288 hosts (groups x chassis x routers x hosts), and all are built, used or "
                                     "not: 65536 at most; make groups, chassis, routers or hosts smaller"));
    // 2 · 2 chassis of 4096 · 4095 / 2 links, 2 · 4096 between those of a group, 1 between the groups, 2 · 16,384 of
    // hosts.
    EXPECT_THAT(refusalOf17("dragonfly", {{"groups", integer(2)}, {"routers", integer(4096)}}),
                ::testing::HasSubstr("33587201 links"));
    EXPECT_EQ(refusalOf17("dragonfly", {}), "");
}

TEST(Dragonfly, RefusesMoreWorkersThanHosts) {
    EXPECT_THAT(
        refusalOf17("dragonfly",
                    {{"groups", integer(1)}, {"chassis", integer(2)}, {"routers", integer(4)}, {"hosts", integer(2)}}),
        ::testing::HasSubstr("16 hosts (groups x chassis x routers x hosts) for 17 workers"));
}

}  // namespace
}  // namespace dasgd::test
