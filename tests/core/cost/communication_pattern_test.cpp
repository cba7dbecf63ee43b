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
    const ExchangeSeconds average = exchangeSeconds(*round, {}, kLink, kBytes, 4);
    EXPECT_DOUBLE_EQ(average.first, ringAllReduceSeconds(kLink, kBytes / 3, 4));
    // algorithms.md F: T_c + max(0, T_m/F − δT_c)·F/H.
    EXPECT_DOUBLE_EQ(roundStepSeconds(*round, 0.002, average), 0.002 + (average.first - 3 * 0.002) * 3 / 12);
    EXPECT_EQ(periodFor(streaming(), *round, 5), 18) << "δ < H/F";
    EXPECT_EQ(periodFor(averagesEvery(ofField("period")), {}, 5), 5) << "d ≤ τ";
}

TEST(CommunicationPattern, PeersShareTheSendersPort) {
    CommunicationRound round{.peers = 2};
    EXPECT_DOUBLE_EQ(exchangeSeconds(round, {}, kLink, kBytes, 5).first, 1e-3 + 2 * kBytes * 1e-8);
    EXPECT_DOUBLE_EQ(exchangeSeconds(round, {}, kLink, kBytes, 2).first, 1e-3 + kBytes * 1e-8) << "there is one other";
    EXPECT_EQ(exchangeSeconds(round, {}, kLink, kBytes, 1).first, 0);
    round = {.share = 0.25};
    EXPECT_DOUBLE_EQ(exchangeSeconds(round, {}, kLink, kBytes, 4).first, ringAllReduceSeconds(kLink, kBytes / 4, 4));
    EXPECT_EQ(exchangeSeconds({.sends = false}, {}, kLink, kBytes, 4).first, 0);
}

// algorithms.md F: 2α + max(P/n, 1)·Sβ·2 of P workers beside n servers.
TEST(CommunicationPattern, ThePortsOfServersOrOfWorkersLimitAPushAndAPull) {
    const CommunicationRound one{.servers = 1}, two{.servers = 2}, three{.servers = 3};
    EXPECT_DOUBLE_EQ(exchangeSeconds(one, {}, kLink, kBytes, 4).first, 2 * (1e-3 + 3 * kBytes * 1e-8));
    EXPECT_DOUBLE_EQ(exchangeSeconds(two, {}, kLink, kBytes, 5).first, 2 * (1e-3 + 1.5 * kBytes * 1e-8));
    EXPECT_DOUBLE_EQ(exchangeSeconds(three, {}, kLink, kBytes, 4).first, 2 * (1e-3 + kBytes * 1e-8)) << "one worker";
    EXPECT_EQ(exchangeSeconds(one, {}, kLink, kBytes, 1).first, 0);
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

CompressedExchange sharded() {
    using Collective = CompressedExchange::Collective;
    return {.why = "",
            .stages = {{Collective::AllToAll, 40'000}, {Collective::AllGather, 10'000}},
            .passes = {.encode = 5, .recode = 2, .decode = 1}};
}

TEST(CommunicationPattern, CompressedExchangesAreTheirMessagesAndTheirCoding) {
    const CommunicationPattern pattern = withCoding({.encode = 3, .decode = 4}, averagesEvery(4, 3));
    const CompressedExchange compressed = sharded();
    const auto round = roundOf(pattern, valuesOf({}), 0, &compressed);
    ASSERT_TRUE(round) << round.error().message;
    const ExchangeSeconds exchange = exchangeSeconds(*round, {}, kLink, kBytes, 4, 1e9);
    EXPECT_DOUBLE_EQ(exchange.first, allToAllSeconds(kLink, 40'000, 4));
    EXPECT_DOUBLE_EQ(exchange.second, allGatherSeconds(kLink, 10'000, 4));
    EXPECT_DOUBLE_EQ(exchange.encode, 8 * kBytes / 1e9) << "the operator's and the algorithm's";
    EXPECT_DOUBLE_EQ(exchange.recode, 2 * kBytes / 1e9);
    EXPECT_DOUBLE_EQ(exchange.decode, 5 * kBytes / 1e9);
    EXPECT_EQ(exchangeSeconds(*round, {}, kLink, kBytes, 4).coding(), 0) << "the rate of memory is not known";
    EXPECT_EQ(sentInExchange(*round, 1'000'000, 4), 30'000 + 30'000);
    EXPECT_EQ(sentInExchange(*roundOf(pattern, valuesOf({}), 0), 1'000'000, 4), 1'500'000);
    // Two steps beside the first stage, one beside the second.
    EXPECT_DOUBLE_EQ(roundStepSeconds(*round, 1e-3, exchange),
                     1e-3 + (exchange.first - 2e-3 + exchange.second - 1e-3 + exchange.coding()) / 4);
}

TEST(CommunicationPattern, CompressedExchangesWithoutAFormulaSayWhy) {
    CompressedExchange compressed = sharded();
    const auto errorOf = [&](const CommunicationPattern& pattern, std::map<std::string, std::string> fields = {},
                             std::int64_t steps = 0) {
        const auto round = roundOf(pattern, valuesOf(std::move(fields)), steps, &compressed);
        return round ? std::string() : round.error().message;
    };
    const CommunicationPattern averages = withCoding({}, averagesEvery(4));
    EXPECT_EQ(errorOf(averages), "");
    EXPECT_THAT(errorOf(averagesEvery(4)), HasSubstr("declares no formula"));
    EXPECT_EQ(errorOf(withoutCoding("they go elsewhere", averagesEvery(4))), "they go elsewhere");
    EXPECT_EQ(errorOf({.kind = Kind::None}), "") << "it sends nothing";
    CommunicationPattern fragments = streaming();
    fragments.coding = CodingPasses{};
    EXPECT_THAT(errorOf(fragments, {{"period", "12"}, {"delay", "1"}, {"fragments", "3"}}), HasSubstr("fragments"));
    EXPECT_EQ(errorOf(fragments, {{"period", "12"}, {"delay", "1"}, {"fragments", "1"}}), "");
    compressed.why = "it warms up";
    EXPECT_EQ(errorOf(averages), "it warms up");
}

TEST(CommunicationPattern, TheFirstExchangesTravelWholeWhereTheyAreToldTo) {
    CompressedExchange compressed = sharded();
    compressed.wholeSteps = 100;
    const CommunicationPattern pattern = withCoding({}, averagesEvery(4));
    const auto before = roundOf(pattern, valuesOf({}), 100, &compressed);
    EXPECT_FALSE(before->compressed);
    EXPECT_THAT(before->assumes, ElementsAre(HasSubstr("among the first 100")));
    const auto after = roundOf(pattern, valuesOf({}), 101, &compressed);
    EXPECT_TRUE(after->compressed);
    EXPECT_THAT(after->assumes, ElementsAre(HasSubstr("first 100 steps")));
    // Synchronous steps before averages are never compressed.
    CommunicationPattern late = pattern;
    late.gradientSteps = 50;
    EXPECT_FALSE(roundOf(late, valuesOf({}), 50, &compressed)->compressed);
}

TEST(CommunicationPattern, NamesTheFieldsThatItReads) {
    EXPECT_THAT(fieldsOf(averagesEvery(ofField("period"), ofField("period"))), ElementsAre("period"));
    EXPECT_THAT(fieldsOf(streaming()), ElementsAre("period", "delay", "fragments"));
    EXPECT_TRUE(fieldsOf({.kind = Kind::None}).empty());
}

}  // namespace
}  // namespace dasgd
