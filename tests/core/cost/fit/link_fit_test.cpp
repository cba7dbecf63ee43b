#include "core/cost/fit/link_fit.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

namespace dasgd {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

std::vector<TimedCollective> timesOf(const LinkCost& link, int ranks) {
    std::vector<TimedCollective> timed;
    for (const double bytes : {1e3, 1e5, 1e7, 4e7}) {
        timed.push_back({TimedCollective::Kind::AllReduce, bytes, ringAllReduceSeconds(link, bytes, ranks)});
        timed.push_back(
            {TimedCollective::Kind::AllGather, bytes / ranks, allGatherSeconds(link, bytes / ranks, ranks)});
    }
    return timed;
}

TEST(LinkFit, FindsTheLinkThatTheFormulasHad) {
    for (const int ranks : {2, 3, 8, 64}) {
        const LinkCost link{.alpha = 80e-6, .beta = 8e-9, .rho = 0.4e-9};
        const auto fit = fitLink(timesOf(link, ranks), ranks);
        ASSERT_TRUE(fit) << fit.error().message;
        EXPECT_NEAR(fit->cost.alpha / link.alpha, 1, 1e-6);
        EXPECT_NEAR(fit->cost.beta / link.beta, 1, 1e-6);
        EXPECT_NEAR(fit->cost.rho / link.rho, 1, 1e-5);
        EXPECT_LT(fit->worst, 1e-6);
    }
}

TEST(LinkFit, NeverGoesBelowZero) {
    // All-reduces that are faster than the all-gathers allow: a reduction would have to take less than no time.
    auto timed = timesOf({.alpha = 0, .beta = 8e-9}, 4);
    for (auto& one : timed) {
        if (one.kind == TimedCollective::Kind::AllReduce) one.seconds *= 0.9;
    }
    const auto fit = fitLink(timed, 4);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->cost.rho, 0);
    EXPECT_GE(fit->cost.alpha, 0);
    EXPECT_THAT(fit->cost.beta, DoubleNear(7.2e-9, 1e-12)) << "what the all-reduces had";
    EXPECT_LT(fit->longest, 1e-4);
    EXPECT_GT(fit->worst, 0.09) << "and it says how far the all-gathers are off";
}

TEST(LinkFit, LargeTransfersDoNotDrownSmallOnes) {
    auto timed = timesOf({.alpha = 100e-6, .beta = 8e-9}, 2);
    for (auto& one : timed) {
        if (one.bytes > 1e6) one.seconds *= 1.02;  // 6 ms, sixty times the latency
    }
    const auto fit = fitLink(timed, 2);
    ASSERT_TRUE(fit);
    EXPECT_THAT(fit->cost.alpha, DoubleNear(100e-6, 5e-6));
}

TEST(LinkFit, ATokenBucketDoesNotBendTheBandwidth) {
    // The first 256 KiB of every transfer pass at once.
    auto timed = timesOf({.alpha = 50e-6, .beta = 32e-9}, 2);
    for (auto& one : timed) {
        one.seconds -= std::min(262144.0, one.bytes) * 32e-9;
    }
    const auto fit = fitLink(timed, 2);
    ASSERT_TRUE(fit);
    EXPECT_THAT(fit->cost.beta + fit->cost.rho / 2, DoubleNear(32e-9, 0.4e-9));
    EXPECT_LT(fit->longest, 0.01);
    EXPECT_GT(fit->worst, 0.2) << "the small ones are off, and it says so";
}

TEST(LinkFit, RefusesWhatSaysTooLittle) {
    const auto timed = timesOf({.alpha = 1e-6, .beta = 1e-9}, 2);
    EXPECT_THAT(fitLink(timed, 1).error().message, HasSubstr("two ranks"));
    EXPECT_THAT(fitLink(std::span(timed).first(1), 2).error().message, HasSubstr("two sizes"));
    const std::vector<TimedCollective> instant{{.bytes = 1, .seconds = 0}, {.bytes = 2, .seconds = 1}};
    EXPECT_THAT(fitLink(instant, 2).error().message, HasSubstr("took no time"));
}

}  // namespace
}  // namespace dasgd
