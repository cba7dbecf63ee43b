#include "core/cost/round_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/cost/step_time.h"

namespace dasgd {
namespace {

RoundInput dasgd(int period, int delay, double communication = 0.030, double contention = 0) {
    return {.period = period,
            .delay = delay,
            .compute = 0.005,
            .exchange = {.first = communication},
            .contention = contention};
}

double total(const RoundForecast& round, SpanKind kind) {
    return std::accumulate(round.spans.begin(), round.spans.end(), 0.0, [&](double sum, const RoundSpan& span) {
        return sum + (span.kind == kind ? span.end - span.start : 0);
    });
}

// Seconds, in both rounds, of computing while the transfer is under way.
double covered(const RoundForecast& round) {
    double sum = 0;
    for (const RoundSpan& one : round.spans) {
        if (!isCompute(one.kind)) continue;
        for (const RoundSpan& other : round.spans) {
            if (other.kind != SpanKind::Transfer) continue;
            sum += std::max(0.0, std::min(one.end, other.end) - std::max(one.start, other.start));
        }
    }
    return sum;
}

TEST(RoundForecast, OfEveryPeriodDelayAndContentionItIsTheFormulaOfCoreCost) {
    for (const int period : {1, 2, 4, 7, 16}) {
        for (int delay = 0; delay <= period; ++delay) {
            for (const double communication : {0.0, 0.002, 0.005, 0.0121, 0.2}) {
                for (const double contention : {0.0, 0.05, 0.5}) {
                    const auto round = forecastRound(dasgd(period, delay, communication, contention));
                    ASSERT_TRUE(round);
                    // Forecast and formula take a transfer for hidden from d·T_c on: contention stretches what covers
                    // it.
                    const double expected = dasgdStepSeconds(0.005, communication, period, delay, contention);
                    EXPECT_NEAR(round->stepSeconds, expected, 1e-12)
                        << period << ' ' << delay << ' ' << communication << ' ' << contention;
                    EXPECT_NEAR(covered(*round) + 2 * round->blocked, 2 * communication, 1e-12) << "hidden + exposed";
                }
            }
        }
    }
}

TEST(RoundForecast, WithoutDelayItIsLocalSgdAndWithAPeriodOfOneSynchronous) {
    const auto round = forecastRound(dasgd(4, 0));
    ASSERT_TRUE(round);
    EXPECT_DOUBLE_EQ(round->seconds, 4 * 0.005 + 0.030);
    EXPECT_DOUBLE_EQ(*round->hidden, 0);
    EXPECT_DOUBLE_EQ(forecastRound(dasgd(1, 0))->stepSeconds, 0.005 + 0.030);
}

TEST(RoundForecast, EnoughDelayHidesAllAndOneStepLessDoesNot) {
    for (const double contention : {0.0, 0.2}) {
        const int enough = hidingDelay(dasgd(1, 1, 0.030, contention));
        EXPECT_EQ(enough, contention > 0 ? 5 : 6) << "of 5 ms, or 6 ms beside a transfer";
        EXPECT_DOUBLE_EQ(forecastRound(dasgd(8, enough, 0.030, contention))->blocked, 0);
        EXPECT_DOUBLE_EQ(*forecastRound(dasgd(8, enough, 0.030, contention))->hidden, 1);
        EXPECT_GT(forecastRound(dasgd(8, enough - 1, 0.030, contention))->blocked, 0);
    }
    EXPECT_EQ(hidingDelay(dasgd(1, 1, 0)), 0);
}

TEST(RoundForecast, OfTheSketch) {
    const auto round = forecastRound(
        {.period = 8, .delay = 3, .compute = 0.0054, .forwardShare = 1.0 / 3, .exchange = {.first = 0.0302}});
    ASSERT_TRUE(round);
    EXPECT_NEAR(round->blocked, 0.0140, 1e-9);
    EXPECT_NEAR(round->blockedPerStep(), 0.00175, 1e-9);
    EXPECT_NEAR(*round->hidden, 0.536, 1e-3);
    EXPECT_NEAR(round->stepSeconds, 0.00715, 1e-9);
    EXPECT_NEAR(round->slowdown, 1.324, 1e-3);
    EXPECT_EQ(hidingDelay(round->input), 6);
    EXPECT_NEAR(total(*round, SpanKind::Wait), 2 * 0.0140, 1e-9);
    EXPECT_NEAR(total(*round, SpanKind::Forward) * 2, total(*round, SpanKind::Backward), 1e-9);
    ASSERT_EQ(round->links.size(), 2U);
    EXPECT_NEAR(round->links[0].use, 0.0302, 1e-9) << "merged when it has come";
}

// An exchange of two stages, with coding before, between and after them.
TEST(RoundForecast, OfTwoStagesItIsTheFormulaOfCoreCostAndEverySpanIsDrawn) {
    const ExchangeSeconds exchange{.first = 0.012, .second = 0.007, .encode = 0.003, .recode = 0.002, .decode = 0.001};
    for (const int period : {1, 2, 4, 7, 16}) {
        for (int delay = 0; delay <= period; ++delay) {
            for (const double contention : {0.0, 0.5}) {
                const auto round = forecastRound({.period = period,
                                                  .delay = delay,
                                                  .compute = 0.005,
                                                  .exchange = exchange,
                                                  .contention = contention});
                ASSERT_TRUE(round);
                EXPECT_NEAR(round->stepSeconds, exchangeStepSeconds(0.005, exchange, period, delay, contention), 1e-12);
                EXPECT_NEAR(total(*round, SpanKind::Transfer), 2 * exchange.transfers(), 1e-12);
                EXPECT_NEAR(total(*round, SpanKind::Snapshot), 2 * exchange.encode, 1e-12);
                EXPECT_NEAR(total(*round, SpanKind::Merge), 2 * (exchange.recode + exchange.decode), 1e-12);
                EXPECT_NEAR(total(*round, SpanKind::Wait), 2 * round->blocked, 1e-12);
                double end = 0;
                for (const RoundSpan& span : round->spans) {
                    if (span.lane == Lane::Compute) end = std::max(end, span.end);
                }
                EXPECT_NEAR(end, 2 * round->seconds, 1e-12) << period << ' ' << delay << ' ' << contention;
            }
        }
    }
    RoundInput input{.period = 16, .delay = 1, .compute = 0.005, .exchange = exchange};
    EXPECT_EQ(hidingDelay(input), 5) << "three steps for the first stage, two for the second";
}

TEST(RoundForecast, WhereNothingIsSentNothingIsHidden) {
    const auto round = forecastRound(dasgd(1, 0, 0));
    ASSERT_TRUE(round);
    EXPECT_FALSE(round->hidden);
    EXPECT_DOUBLE_EQ(round->slowdown, 1);
    EXPECT_DOUBLE_EQ(total(*round, SpanKind::Transfer), 0);
}

TEST(RoundForecast, ARoundOfABillionStepsIsAFewHundredSpans) {
    for (const int delay : {0, 3, 500'000'000, 1'000'000'000}) {
        const auto round = forecastRound(dasgd(1'000'000'000, delay));
        ASSERT_TRUE(round);
        EXPECT_LT(round->spans.size(), 400U);
        EXPECT_NEAR(round->seconds, 5e6 + (delay == 0 ? 0.030 : delay == 3 ? 0.015 : 0), 1e-6);
        std::int64_t steps = 0;
        for (const RoundSpan& one : round->spans) steps += isCompute(one.kind) ? one.steps : 0;
        EXPECT_EQ(steps, 2'000'000'000) << "every step is in one block";
    }
    EXPECT_EQ(forecastRound(dasgd(64, 3))->block, 1);
    EXPECT_EQ(hidingDelay(dasgd(1, 1, 1e12)), std::numeric_limits<int>::max());
    EXPECT_FALSE(forecastRound(dasgd(4, 1, std::numeric_limits<double>::infinity())));
}

TEST(RoundForecast, RefusesWhatIsNoRound) {
    EXPECT_FALSE(forecastRound(dasgd(4, 5)));
    EXPECT_FALSE(forecastRound(dasgd(0, 0)));
    RoundInput instant = dasgd(4, 1);
    instant.compute = 0;
    EXPECT_FALSE(forecastRound(instant));
}

}  // namespace
}  // namespace dasgd
