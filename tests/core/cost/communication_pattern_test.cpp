#include "core/cost/communication_pattern.h"

#include <gmock/gmock.h>

#include <map>

#include "core/cost/step_time.h"

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = CommunicationPattern::Kind;

PatternValues valuesOf(std::map<std::string, std::string> fields) {
    return [fields = std::move(fields)](const std::string& field) -> std::optional<std::string> {
        const auto found = fields.find(field);
        return found == fields.end() ? std::nullopt : std::optional(found->second);
    };
}

CommunicationPattern streaming() {
    return {.kind = Kind::Averages,
            .period = ofField("period"),
            .delay = ofField("delay"),
            .fragments = ofField("fragments"),
            .delayBelowInterval = true};
}

const LinkCost kLink{.alpha = 1e-3, .beta = 1e-8};
constexpr double kBytes = 1e6;

TEST(CommunicationPattern, ANumberIsAFieldOrFixed) {
    const CommunicationPattern pattern = averagesEvery(ofField("period"), 2);
    const auto round = roundOf(pattern, valuesOf({{"period", "6"}}), 0);
    ASSERT_TRUE(round) << round.error().message;
    EXPECT_EQ(round->period, 6);
    EXPECT_EQ(round->delay, 2);
    const CommunicationPattern push{.kind = Kind::Averages, .delay = ofField("overlap"), .peers = 1};
    EXPECT_EQ(roundOf(push, valuesOf({{"overlap", "true"}}), 0)->delay, 1);
    EXPECT_EQ(roundOf(push, valuesOf({{"overlap", "false"}}), 0)->delay, 0);
}

TEST(CommunicationPattern, FragmentsDivideThePeriodAndTheBytes) {
    const auto values = valuesOf({{"period", "12"}, {"delay", "3"}, {"fragments", "3"}});
    const auto round = roundOf(streaming(), values, 0);
    ASSERT_TRUE(round) << round.error().message;
    EXPECT_EQ(round->period, 4);
    const double average = exchangeSeconds(*round, {}, kLink, kBytes, 4);
    EXPECT_DOUBLE_EQ(average, ringAllReduceSeconds(kLink, kBytes / 3, 4));
    // algorithms.md F: T_c + max(0, T_m/F − δT_c)·F/H.
    EXPECT_DOUBLE_EQ(roundStepSeconds(*round, 0.002, average), 0.002 + (average - 3 * 0.002) * 3 / 12);
    EXPECT_EQ(periodFor(streaming(), *round, 5), 18) << "δ < H/F";
    EXPECT_EQ(periodFor(averagesEvery(ofField("period")), {}, 5), 5) << "d ≤ τ";
}

TEST(CommunicationPattern, PeersShareTheSendersPort) {
    CommunicationRound round{.peers = 2};
    EXPECT_DOUBLE_EQ(exchangeSeconds(round, {}, kLink, kBytes, 5), 1e-3 + 2 * kBytes * 1e-8);
    EXPECT_DOUBLE_EQ(exchangeSeconds(round, {}, kLink, kBytes, 2), 1e-3 + kBytes * 1e-8) << "there is one other";
    EXPECT_EQ(exchangeSeconds(round, {}, kLink, kBytes, 1), 0);
    round = {.share = 0.25};
    EXPECT_DOUBLE_EQ(exchangeSeconds(round, {}, kLink, kBytes, 4), ringAllReduceSeconds(kLink, kBytes / 4, 4));
    EXPECT_EQ(exchangeSeconds({.sends = false}, {}, kLink, kBytes, 4), 0);
}

// algorithms.md F: 2α + max(P/n, 1)·Sβ·2 of P workers beside n servers.
TEST(CommunicationPattern, ThePortsOfServersOrOfWorkersLimitAPushAndAPull) {
    const CommunicationRound one{.servers = 1}, two{.servers = 2}, three{.servers = 3};
    EXPECT_DOUBLE_EQ(exchangeSeconds(one, {}, kLink, kBytes, 4), 2 * (1e-3 + 3 * kBytes * 1e-8));
    EXPECT_DOUBLE_EQ(exchangeSeconds(two, {}, kLink, kBytes, 5), 2 * (1e-3 + 1.5 * kBytes * 1e-8));
    EXPECT_DOUBLE_EQ(exchangeSeconds(three, {}, kLink, kBytes, 4), 2 * (1e-3 + kBytes * 1e-8)) << "one worker";
    EXPECT_EQ(exchangeSeconds(one, {}, kLink, kBytes, 1), 0);
}

TEST(CommunicationPattern, GradientsComeBeforeTheSwitch) {
    CommunicationPattern pattern = averagesEvery(ofField("period"));
    pattern.gradientSteps = ofField("sync_steps");
    pattern.firstBucketMb = ofField("first");
    const auto values = valuesOf({{"period", "4"}, {"sync_steps", "100"}, {"first", "0.5"}});
    const auto before = roundOf(pattern, values, 100);
    ASSERT_TRUE(before);
    EXPECT_TRUE(before->gradients);
    EXPECT_EQ(before->period, 1);
    EXPECT_EQ(before->firstBucketBytes, 524'288);
    EXPECT_THAT(before->assumes, ElementsAre(HasSubstr("among the first 100")));
    for (const std::int64_t steps : {101, 0}) {
        const auto after = roundOf(pattern, values, steps);
        EXPECT_FALSE(after->gradients);
        EXPECT_EQ(after->period, 4);
        EXPECT_THAT(after->assumes, ElementsAre(HasSubstr("first 100 steps")));
    }
}

TEST(CommunicationPattern, WhatHasNoFormulaSaysWhy) {
    const auto errorOf = [](const CommunicationPattern& pattern, std::map<std::string, std::string> fields) {
        const auto round = roundOf(pattern, valuesOf(std::move(fields)), 0);
        return round ? std::string() : round.error().message;
    };
    EXPECT_EQ(errorOf(noFormula("it is a measurement"), {}), "it is a measurement");
    EXPECT_THAT(errorOf({}, {}), HasSubstr("declares no"));
    CommunicationPattern limited = averagesEvery(ofField("period"), ofField("delay"));
    limited.limits.push_back(averagedStateLimit());
    const std::map<std::string, std::string> fits{{"period", "4"}, {"delay", "4"}, {"optimizer_state", "keep"}};
    EXPECT_EQ(errorOf(limited, fits), "");
    EXPECT_THAT(errorOf(limited, {{"period", "4"}, {"delay", "4"}, {"optimizer_state", "average"}}),
                HasSubstr("more than the weights"));
    EXPECT_THAT(errorOf(limited, {{"period", "4"}, {"delay", "5"}}), HasSubstr("does not fit"));
    EXPECT_THAT(errorOf(limited, {{"period", "4"}}), HasSubstr("delay has no number"));
    EXPECT_THAT(errorOf(limited, {{"period", "4.5"}, {"delay", "1"}}), HasSubstr("period is no number of steps"));
    CommunicationPattern together = averagesEvery(1);
    together.limits = {{.field = "lead", .value = "0", .why = "they come apart", .unless = true}};
    EXPECT_EQ(errorOf(together, {{"lead", "0"}}), "");
    EXPECT_EQ(errorOf(together, {{"lead", "2"}}), "they come apart");
    EXPECT_EQ(errorOf(together, {}), "they come apart");
    EXPECT_THAT(errorOf(streaming(), {{"period", "12"}, {"delay", "1"}, {"fragments", "5"}}), HasSubstr("equal parts"));
    EXPECT_THAT(errorOf(streaming(), {{"period", "12"}, {"delay", "4"}, {"fragments", "3"}}), HasSubstr("does not fit"))
        << "δ < H/F";
}

TEST(CommunicationPattern, NamesTheFieldsThatItReads) {
    EXPECT_THAT(fieldsOf(averagesEvery(ofField("period"), ofField("period"))), ElementsAre("period"));
    EXPECT_THAT(fieldsOf(streaming()), ElementsAre("period", "delay", "fragments"));
    EXPECT_TRUE(fieldsOf({.kind = Kind::None}).empty());
}

}  // namespace
}  // namespace dasgd
