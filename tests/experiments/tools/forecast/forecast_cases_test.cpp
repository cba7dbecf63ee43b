#include "experiments/tools/forecast/forecast_cases.h"

#include <gmock/gmock.h>

#include "tests/experiments/tools/forecast/planned_runs.h"

namespace dasgd::experiments {
namespace {

using namespace forecast_test;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

ForecastSources measured() {
    return {.runs = timedRuns({runOf("r1", config(3))}), .calibrations = {}, .algorithms = algorithms(), .now = kNow};
}
// Sources without any measurement.
ForecastSources unmeasured() { return {.runs = {}, .calibrations = {}, .algorithms = algorithms(), .now = kNow}; }

TEST(ForecastCases, EachDelayOfASweepIsACaseAndSeedsAreNot) {
    const auto cases = forecastCases(
        {plan(config(3)), plan(config(3) + "[record]\nweights = true\n"), plan(config(4)), plan(config(5))},
        measured());
    ASSERT_EQ(cases.size(), 3U);
    EXPECT_EQ(cases[0].label, "d = 3");
    EXPECT_EQ(cases[2].label, "d = 5");
    EXPECT_EQ(mostExposed(cases), 0U);
    EXPECT_EQ(forecastCases({plan(config(3))}, measured())[0].label, "dasgd");
}

TEST(ForecastCases, SaysHowMuchIsExposedAndWhichDelayWouldDo) {
    const auto one = forecastCases({plan(config(3))}, measured())[0];
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_NEAR(one.round->blocked, kAverage - 3 * 0.005, 1e-9);
    const char* const said = "7.00 ms per round will not hide; d ≥ 5 would.";
    EXPECT_EQ(one.warning, said);
    const char* const why = "3 steps take 15.0 ms, the average 22.0 ms.";
    EXPECT_EQ(one.reason, why);
    ASSERT_TRUE(one.remedy);
    EXPECT_EQ(one.remedy->blocked, 0);
    EXPECT_EQ(one.remedy->steps, 8) << "the period stays where it is long enough";
    EXPECT_THAT(one.words, HasSubstr(one.computeFrom)) << "whoever hears it hears where it is from";
}

// An eighth of a byte a weight in two stages between two workers over 100 Mbps, 1 ms: 1.3 ms each.
CheckedExperiment sharded(int delay, const std::string& more = "[compression]\nname = \"sign\"\n") {
    using Collective = CompressedExchange::Collective;
    CheckedExperiment run = plan(config(delay) + more);
    run.compressed = CompressedExchange{.why = "",
                                        .stages = {{Collective::AllToAll, 7'812}, {Collective::AllGather, 3'906}},
                                        .passes = {.encode = 5, .recode = 2, .decode = 1}};
    return run;
}

TEST(ForecastCases, CompressedExchangesAreForecastByTheirStages) {
    const double stage = 0.001 + 3'906 * 8e-8;
    const auto one = forecastCases({sharded(1)}, measured())[0];
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_NEAR(one.round->input.exchange.first, stage, 1e-9);
    EXPECT_NEAR(one.round->blocked, stage, 1e-9) << "the second stage leaves at the merge";
    EXPECT_THAT(one.reason, HasSubstr("nothing is computed beside the second")) << one.reason;
    ASSERT_TRUE(one.remedy);
    EXPECT_EQ(one.settings[0].toml, "2");
    EXPECT_THAT(one.assumes, Contains(HasSubstr("Coding takes no time")));
    const auto enough = forecastCases({sharded(2)}, measured())[0];
    EXPECT_EQ(enough.round->blocked, 0);
    EXPECT_THAT(enough.reason, HasSubstr("the second 1.31")) << enough.reason;
    EXPECT_TRUE(forecastCases({plan(config(3) + "[compression]\nname = \"none\"\n")}, measured())[0].known());
}

TEST(ForecastCases, CompressedExchangesWithoutAFormulaSayWhy) {
    CheckedExperiment warming = sharded(3);
    warming.compressed->why = "it warms up";
    EXPECT_EQ(forecastCases({warming}, measured())[0].why, "There is no formula for dasgd: it warms up.");
}

TEST(ForecastCases, OperatorsOfASweepAreCasesOfTheirOwn) {
    const auto cases = forecastCases({sharded(3), sharded(3, "[compression]\nname = \"int\"\n")}, measured());
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[1].label, "compression = int");
}

TEST(ForecastCases, ADelayBeyondThePeriodTakesThePeriodWithIt) {
    std::string toml = config(3);
    toml.replace(toml.find("period = 8"), 10, "period = 4");
    const auto one = forecastCases({plan(toml)}, measured())[0];
    EXPECT_THAT(one.warning, EndsWith("d ≥ 5 would, with τ ≥ 5.")) << one.warning;
    EXPECT_EQ(one.remedy->steps, 5);
}

TEST(ForecastCases, ADelayThatNobodyWouldSetIsNotProposed) {
    CheckedExperiment run = plan(config(3));
    run.parameters = 1'000'000'000;
    const auto one = forecastCases({run}, measured())[0];
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_FALSE(one.remedy);
    EXPECT_THAT(one.warning, HasSubstr("not even with d = 1000"));
    std::string endless = config(3);
    endless.replace(endless.find("period = 8"), 10, "period = 1000000000");
    const auto long_ = forecastCases({plan(endless)}, measured())[0];
    ASSERT_TRUE(long_.known());
    EXPECT_THAT(long_.words, HasSubstr("The picture draws")) << long_.words;
}

TEST(ForecastCases, WhateverItsTimesReadIsACaseOfItsOwn) {
    const std::string base =
        "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 1\n[train]\nbatch_size = 32\n[cluster]\nbackend = "
        "\"virtual\"\nworkers = 8\n[compute]\nstep_time = \"5ms\"\ncontention = 0.1\n[network]\nname = "
        "\"star\"\nbandwidth = \"1Gbps\"\nlatency = \"90us\"\ncollective = \"ring\"\ngroup_size = 1\n";
    const std::vector<std::pair<std::string, std::string>> changes{
        {"latency = \"90us\"", "latency = \"9ms\""},
        {"collective = \"ring\"", "collective = \"tree\""},
        {"group_size = 1", "group_size = 2"},
        {"contention = 0.1", "contention = 0.2"},
        {"batch_size = 32", "batch_size = 32\nprecision = \"float64\""},
        {"workers = 8", "workers = 8\nthreads_per_worker = 2"},
        {"[train]", "[model]\nname = \"mlp\"\nhidden = 64\n[train]"},
        {"delay = 1", "delay = 1\noptimizer_state = \"average\""}};
    for (const auto& [from, to] : changes) {
        std::string changed = base;
        changed.replace(changed.find(from), from.size(), to);
        const auto cases = forecastCases({plan(base), plan(changed)}, unmeasured());
        ASSERT_EQ(cases.size(), 2U) << to;
        EXPECT_NE(cases[0].label, cases[1].label) << to;
    }
    CheckedExperiment other = plan(base);
    other.parameters = 1;
    EXPECT_EQ(forecastCases({plan(base), other}, unmeasured()).at(1).label, "weights = 1");
}

TEST(ForecastCases, WhereAllHidesNothingIsWarnedOf) {
    const auto one = forecastCases({plan(config(5))}, measured())[0];
    EXPECT_TRUE(one.warning.empty());
    EXPECT_FALSE(one.remedy);
    EXPECT_DOUBLE_EQ(*one.round->hidden, 1);
}

TEST(ForecastCases, AnAlgorithmWithFieldsLikeThoseOfDasgdGetsNoFormulaOfIt) {
    const auto one = forecastCases({plan(config(3, "lenet", kLink, "lookahead"))}, measured())[0];
    EXPECT_FALSE(one.known());
    EXPECT_EQ(one.why, "There is no formula for lookahead.");
    const auto local = forecastCases({plan(config(3, "lenet", kLink, "local_sgd"))}, measured())[0];
    ASSERT_TRUE(local.known());
    EXPECT_NEAR(local.round->blocked, kAverage, 1e-9);
    EXPECT_FALSE(local.remedy) << "it has no delay to set";
    const char* const said = "22.0 ms per round will not hide: local_sgd waits for each average.";
    EXPECT_EQ(local.warning, said);
}

AlgorithmInfo algorithm(const char* name, std::vector<FieldInfo> fields, CommunicationPattern pattern) {
    return {{.name = name, .fields = std::move(fields)}, std::move(pattern)};
}

// Algorithms that only their patterns describe.
std::vector<AlgorithmInfo> unknownAlgorithms() {
    using Kind = CommunicationPattern::Kind;
    CommunicationPattern round = averagesEvery(ofField("rounds"), ofField("rounds"));
    round.assumes = {"All is well."};
    CommunicationPattern parts = averagesEvery(ofField("rounds"), ofField("lag"));
    parts.fragments = ofField("parts");
    parts.delayBelowInterval = true;
    CommunicationPattern push{.kind = Kind::Averages, .delay = ofField("late"), .peers = 1, .mostDelay = 1};
    CommunicationPattern switches{
        .kind = Kind::Averages, .period = 4, .gradientSteps = ofField("first"), .firstBucketMb = 25};
    CommunicationPattern served{.kind = Kind::Averages, .servers = ofField("boxes")};
    served.limits = {{.field = "lead", .value = "0", .why = "workers come apart", .unless = true}};
    CommunicationPattern signs{.kind = Kind::Averages};
    signs.ownCoding = OwnCoding{.share = 0.03125, .encode = 2, .recode = 1, .decode = 3, .recodeOfPart = 4};
    return {algorithm("whole_round", {whole("rounds", "3", "H")}, round),
            algorithm("parts", {whole("rounds", "4", "H"), whole("lag", "0"), whole("parts", "2")}, parts),
            algorithm("push", {whole("late", "false", "", "bool")}, push),
            algorithm("switches", {whole("first", "10")}, switches),
            algorithm("served", {whole("boxes", "1"), whole("lead", "0")}, served),
            algorithm("measures", {}, noFormula("it measures")),
            algorithm("signs", {}, signs),
            algorithm("silent", {}, {.kind = Kind::None}),
            algorithm("newer", {}, {})};
}

class UnknownAlgorithm : public ::testing::Test {
protected:
    [[nodiscard]] static ForecastCase of(const char* name, std::int64_t steps = 0, double stepMs = 5) {
        ForecastSources sources = measured();
        sources.algorithms = unknownAlgorithms();
        sources.runs.front().stepSeconds = stepMs * 1e-3;
        CheckedExperiment run = plan(std::string("[algorithm]\nname = \"") + name +
                                     "\"\n[model]\nname = \"lenet\"\n[train]\nbatch_size = 32\n[cluster]\nbackend = "
                                     "\"gloo\"\nworkers = 2\n" +
                                     kLink);
        run.totalSteps = steps;
        return forecastCases({run}, sources).at(0);
    }
};

// T_c 5 ms, T_m 22 ms.
TEST_F(UnknownAlgorithm, OverlappingAWholeRoundNeedsALongerRound) {
    const ForecastCase one = of("whole_round");
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_EQ(one.round->steps, 3) << "the default of its field";
    EXPECT_NEAR(one.round->blocked, kAverage - 3 * 0.005, 1e-9);
    EXPECT_EQ(one.warning, "7.00 ms per round will not hide; H ≥ 5 would.");
    ASSERT_EQ(one.settings.size(), 1U);
    EXPECT_EQ(one.settings[0].key, "algorithm.rounds");
    EXPECT_EQ(one.remedy->steps, 5);
    EXPECT_EQ(one.remedy->blocked, 0);
    EXPECT_THAT(one.words, HasSubstr("Assumed: All is well."));
}

TEST_F(UnknownAlgorithm, AFragmentIsLessToSendAndItsDelayStaysWithinItsTurn) {
    const ForecastCase one = of("parts");
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_EQ(one.round->steps, 2);
    EXPECT_NEAR(one.round->input.exchange.first, 0.002 + 0.010, 1e-9) << "half of the bytes, all of the latency";
    EXPECT_EQ(one.warning, "12.0 ms per round will not hide; lag ≥ 3 would, with H ≥ 8.");
    ASSERT_EQ(one.settings.size(), 2U);
    EXPECT_EQ(one.settings[1].key, "algorithm.rounds");
    EXPECT_EQ(one.remedy->steps, 4);
}

TEST_F(UnknownAlgorithm, ASwitchHidesAStepOrNothing) {
    const ForecastCase slow = of("push", 0, 25);
    ASSERT_TRUE(slow.known()) << slow.why;
    EXPECT_NEAR(slow.round->blocked, 0.021, 1e-9) << "one message";
    EXPECT_THAT(slow.warning, EndsWith("late = true would.")) << slow.warning;
    EXPECT_EQ(slow.settings.at(0).toml, "true");
    const ForecastCase fast = of("push", 0, 5);
    EXPECT_FALSE(fast.remedy);
    EXPECT_THAT(fast.warning, EndsWith("not even with late = true.")) << fast.warning;
}

TEST_F(UnknownAlgorithm, APushAndAPullAreForecastWhereWorkersStayTogether) {
    const ForecastCase one = of("served");
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_NEAR(one.round->blocked, 2 * 0.021, 1e-9) << "one worker and its server";
    EXPECT_EQ(one.round->steps, 1);
}

// A bit a number: half of the 7.8 kB goes to the other worker, and half comes back.
TEST_F(UnknownAlgorithm, WhatItCodesItselfIsLessToSend) {
    const ForecastCase one = of("signs");
    ASSERT_TRUE(one.known()) << one.why;
    EXPECT_NEAR(one.round->input.exchange.first, 0.001 + 250e3 / 32 / 2 * 8e-8, 1e-6);
    EXPECT_NEAR(one.round->input.exchange.second, 0.001 + 250e3 / 32 / 2 * 8e-8, 1e-6);
    EXPECT_THAT(one.words, HasSubstr("Coding takes no time"));
}

TEST_F(UnknownAlgorithm, WhatChangesOverIsForecastAsTheRunEnds) {
    EXPECT_EQ(of("switches", 10).round->steps, 1);
    EXPECT_NEAR(of("switches", 10).round->stepSeconds, 0.005 + kAverage, 1e-9);
    EXPECT_EQ(of("switches", 11).round->steps, 4);
    EXPECT_THAT(of("switches", 11).words, HasSubstr("first 10 steps"));
}

TEST_F(UnknownAlgorithm, WithoutAFormulaSaysSoAndWithoutMessagesWaitsForNone) {
    EXPECT_EQ(of("measures").why, "There is no formula for measures: it measures.");
    EXPECT_EQ(of("newer").why, "There is no formula for newer.");
    const ForecastCase silent = of("silent");
    ASSERT_TRUE(silent.known()) << silent.why;
    EXPECT_FALSE(silent.round->hidden);
    EXPECT_TRUE(silent.warning.empty());
}

TEST(ForecastCases, GradientsInSeveralBucketsHaveNoFormula) {
    std::string toml = config(0, "lenet", kLink, "sync_sgd");
    toml.replace(toml.find("period = 8"), 10, "first_bucket_mb = 1.0");
    CheckedExperiment run = plan(toml);
    EXPECT_TRUE(forecastCases({run}, measured())[0].known());
    run.parameters = 11'000'000;
    const auto one = forecastCases({run}, measured())[0];
    EXPECT_THAT(one.why, HasSubstr("more than one bucket")) << one.why;
}

TEST(ForecastCases, WithoutAMeasuredStepItSaysSo) {
    const auto one = forecastCases({plan(config(3))}, unmeasured())[0];
    EXPECT_FALSE(one.known());
    EXPECT_THAT(one.why, HasSubstr("No run has timed this step yet"));
    EXPECT_TRUE(forecastCases({}, measured()).empty());
}

TEST(ForecastCases, WhatADelayCanMendIsShownFirst) {
    const auto cases = forecastCases({plan(config(0, "lenet", kLink, "local_sgd")), plan(config(5)), plan(config(4)),
                                      plan(config(0, "lenet", kLink, "x"))},
                                     measured());
    EXPECT_EQ(mostExposed(cases), 2U);
    EXPECT_EQ(mostExposed({}), 0U);
}

TEST(ForecastCases, KeysThatNoRunTakesFromTheirDefaultAreNotInTheName) {
    const ForecastSources sources = measured();
    const auto sync = [](const std::string& mb) {
        std::string toml = config(3, "lenet", kLink, "sync_sgd");
        return plan(toml.insert(toml.find("[model]"), "first_bucket_mb = " + mb + "\n"));
    };
    const auto names = [&](const std::vector<CheckedExperiment>& runs) {
        std::vector<std::string> all;
        for (const ForecastCase& one : forecastCases(runs, sources)) all.push_back(one.label);
        return all;
    };
    EXPECT_EQ(names({plan(config(3)), sync("1.0")})[1], "sync_sgd");
    EXPECT_THAT(names({plan(config(3)), sync("1.0"), sync("2.0")})[1], HasSubstr("first_bucket_mb = 1.0"))
        << "it varies";
    EXPECT_THAT(names({plan(config(3)), sync("2.0")})[1], HasSubstr("first_bucket_mb = 2.0"))
        << "it is not the default";
}

}  // namespace
}  // namespace dasgd::experiments
