#include "core/cost/uneven_gather.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

constexpr LinkCost kUnevenLink{.alpha = 1e-5, .beta = 1e-9};
using Way = UnevenGather::Way;

TEST(UnevenGather, TimesAreThoseOfTheCollectivesItIsMadeOf) {
    const std::vector<double> bytes{4e6, 0, 1e6, 3e6};
    EXPECT_DOUBLE_EQ(paddedGatherSeconds(kUnevenLink, bytes), 3 * (1e-5 + 4e-3));
    EXPECT_DOUBLE_EQ(broadcastsGatherSeconds(kUnevenLink, bytes), 2 * (3 * 1e-5 + 8e-3))
        << "a rank without bytes sends none";
}

// With P ranks, all of whose bytes are x times the largest contribution, ⌈log₂P⌉·x stands against P − 1.
TEST(UnevenGather, TheCheaperOneDependsOnHowUnequalTheContributionsAre) {
    EXPECT_EQ(cheaperGather(kUnevenLink, {1e6, 1e6, 1e6, 1e6}).way, Way::Padded);
    const UnevenGather one = cheaperGather(kUnevenLink, {4e6, 0, 0, 0});
    EXPECT_EQ(one.way, Way::Broadcasts);
    EXPECT_DOUBLE_EQ(one.seconds, 2 * (1e-5 + 4e-3));
    const LinkCost withoutLatency{.beta = 1e-9};
    EXPECT_EQ(cheaperGather(withoutLatency, {4e6, 1.9e6, 0, 0}).way, Way::Broadcasts) << "2 · 5.9 against 3 · 4";
    EXPECT_EQ(cheaperGather(withoutLatency, {4e6, 2.1e6, 0, 0}).way, Way::Padded) << "2 · 6.1 against 3 · 4";
}

TEST(UnevenGather, NothingIsFreeOnlyWhereNothingIsSent) {
    for (const auto& bytes : {std::vector<double>{5e6}, std::vector<double>{0, 0, 0}}) {
        EXPECT_EQ(cheaperGather(kUnevenLink, bytes).seconds, 0);
        EXPECT_EQ(cheaperGather(kUnevenLink, bytes).way, Way::Padded);
    }
}

}  // namespace
}  // namespace dasgd
