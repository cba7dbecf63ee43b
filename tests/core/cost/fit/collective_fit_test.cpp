#include "core/cost/fit/collective_fit.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "core/cost/cost.h"

namespace dasgd {
namespace {

using ::testing::HasSubstr;

constexpr std::array kCollectives{Collective::AllReduce, Collective::ReduceScatter, Collective::AllGather,
                                  Collective::SendReceive, Collective::AllToAll};

// The formulas of cost.h, S being the whole payload.
double formula(Collective collective, const LinkCost& link, double bytes, int ranks) {
    switch (collective) {
        case Collective::AllReduce: return ringAllReduceSeconds(link, bytes, ranks);
        case Collective::ReduceScatter: return reduceScatterSeconds(link, bytes, ranks);
        case Collective::AllGather: return allGatherSeconds(link, bytes / ranks, ranks);
        case Collective::SendReceive: return messageSeconds(link, bytes);
        case Collective::AllToAll: return allToAllSeconds(link, bytes, ranks);
    }
    return 0;
}

std::vector<CollectiveTiming> timingsOf(Collective collective, const LinkCost& link, int ranks) {
    std::vector<CollectiveTiming> timings;
    for (double bytes = 1024; bytes <= 4e9; bytes *= 4) {
        timings.push_back({bytes, formula(collective, link, bytes, ranks)});
    }
    return timings;
}

TEST(CollectiveFit, FindsTheLinkThatTheFormulasHad) {
    for (const Collective collective : kCollectives) {
        for (const int ranks : {2, 3, 8, 64}) {
            const LinkCost link{.alpha = 6e-6, .beta = 4e-12};
            const auto fit = fitCollective(collective, timingsOf(collective, link, ranks), ranks);
            ASSERT_TRUE(fit) << fit.error().message;
            EXPECT_NEAR(fit->alpha / link.alpha, 1, 1e-9);
            EXPECT_NEAR(fit->beta / link.beta, 1, 1e-9);
            EXPECT_LT(fit->worst, 1e-9);
        }
    }
}

double squares(const std::vector<CollectiveTiming>& timings, const CollectiveShape& shape, double alpha, double beta) {
    double sum = 0;
    for (const CollectiveTiming& one : timings) {
        sum += std::pow((shape.messages * alpha + shape.bytesShare * one.bytes * beta) / one.seconds - 1, 2);
    }
    return sum;
}

// No neighbour of what was found is better, in any direction that is allowed.
TEST(CollectiveFit, IsTheLeastOfTheWeightedSquares) {
    const std::vector<std::vector<CollectiveTiming>> cases{
        {{1e3, 20e-6}, {1e4, 19e-6}, {1e6, 60e-6}, {1e8, 900e-6}},  // scatter about both costs
        {{1e3, 1e-6}, {1e6, 2e-3}, {1e8, 150e-3}},                  // first bytes faster than the rest: α = 0
        {{1e3, 30e-6}, {1e4, 24e-6}, {1e5, 20e-6}}};                // faster as they grow: β = 0
    for (const auto& timings : cases) {
        const auto fit = fitCollective(Collective::AllReduce, timings, 4);
        ASSERT_TRUE(fit);
        const CollectiveShape shape = shapeOf(Collective::AllReduce, 4);
        const double least = squares(timings, shape, fit->alpha, fit->beta);
        EXPECT_NEAR(fit->rootMeanSquare, std::sqrt(least / static_cast<double>(timings.size())), 1e-9);
        for (const double alpha : {-1e-8, 0.0, 1e-8}) {
            for (const double beta : {-1e-13, 0.0, 1e-13}) {
                if (fit->alpha + alpha < 0 || fit->beta + beta < 0) continue;
                EXPECT_GE(squares(timings, shape, fit->alpha + alpha, fit->beta + beta), least * (1 - 1e-12));
            }
        }
    }
    EXPECT_EQ(fitCollective(Collective::AllReduce, cases[1], 4)->alpha, 0);
    EXPECT_EQ(fitCollective(Collective::AllReduce, cases[2], 4)->beta, 0);
}

// Two hundredths of a long transfer are many times the latency, and may not be taken for it.
TEST(CollectiveFit, LargeTransfersDoNotDrownSmallOnes) {
    auto timings = timingsOf(Collective::AllReduce, {.alpha = 6e-6, .beta = 4e-12}, 8);
    for (auto& one : timings) {
        if (one.bytes > 1e8) one.seconds *= 1.02;
    }
    const auto fit = fitCollective(Collective::AllReduce, timings, 8);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha / 6e-6, 1, 0.02);
    EXPECT_LT(fit->worst, 0.03);
    EXPECT_GT(fit->longest, 0.001) << "and it says how far it is off";
}

TEST(CollectiveFit, RefusesWhatSaysTooLittle) {
    const std::vector<CollectiveTiming> timings{{1e3, 1e-6}, {1e3, 2e-6}};
    EXPECT_THAT(fitCollective(Collective::AllGather, timings, 1).error().message, HasSubstr("two ranks"));
    EXPECT_THAT(fitCollective(Collective::AllGather, timings, 2).error().message, HasSubstr("two sizes"));
    EXPECT_THAT(fitCollective(Collective::AllGather, {}, 2).error().message, HasSubstr("two sizes"));
    const std::vector<CollectiveTiming> instant{{1e3, 0}, {1e4, 2e-6}};
    EXPECT_THAT(fitCollective(Collective::AllGather, instant, 2).error().message, HasSubstr("took no time"));
}

}  // namespace
}  // namespace dasgd
