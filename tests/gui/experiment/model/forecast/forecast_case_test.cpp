#include "gui/experiment/model/forecast/forecast_case.h"

#include <gtest/gtest.h>

#include "tests/gui/experiment/model/forecast/planned_runs.h"

namespace dasgd::gui {
namespace {

using namespace forecast_test;

ForecastSources measured() {
    return {.runs = timedRuns(std::vector<RunItemPtr>{runOf("r1", config(3))}),
            .calibrations = {},
            .algorithms = algorithms(),
            .now = kNow};
}
// Sources without any measurement.
ForecastSources unmeasured() { return {.runs = {}, .calibrations = {}, .algorithms = algorithms(), .now = kNow}; }

TEST(ForecastCase, EachDelayOfASweepIsACaseAndSeedsAreNot) {
    const auto cases = forecastCases(
        {plan(config(3)), plan(config(3) + "[record]\nweights = true\n"), plan(config(4)), plan(config(5))},
        measured());
    ASSERT_EQ(cases.size(), 3U);
    EXPECT_EQ(cases[0].label, QStringLiteral("d = 3"));
    EXPECT_EQ(cases[2].label, QStringLiteral("d = 5"));
    EXPECT_EQ(mostExposed(cases), 0U);
    EXPECT_EQ(forecastCases({plan(config(3))}, measured())[0].label, QStringLiteral("dasgd"));
}

TEST(ForecastCase, SaysHowMuchIsExposedAndWhichDelayWouldDo) {
    const auto one = forecastCases({plan(config(3))}, measured())[0];
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_NEAR(one.round.blocked, kAverage - 3 * 0.005, 1e-9);
    const char* const said = "7.00\u00a0ms per round will not hide; d ≥ 5 would.";
    EXPECT_EQ(one.warning(), QString::fromUtf8(said));
    const char* const why = "3 steps take 15.00\u00a0ms, the average 22.00\u00a0ms.";
    EXPECT_EQ(one.reason(), QString::fromUtf8(why));
    ASSERT_TRUE(one.remedy);
    EXPECT_EQ(one.remedy->blocked, 0);
    EXPECT_EQ(one.remedy->steps, 8) << "the period stays where it is long enough";
    EXPECT_TRUE(one.inWords().contains(one.step.from)) << "whoever hears it hears where it is from";
}

// An eighth of a byte a weight in two stages between two workers over 100 Mbps, 1 ms: 1.3 ms each.
PlannedRun sharded(int delay, const std::string& more = "[compression]\nname = \"sign\"\n") {
    using Collective = CompressedExchange::Collective;
    PlannedRun run = plan(config(delay) + more);
    run.compressed = CompressedExchange{.why = "",
                                        .stages = {{Collective::AllToAll, 7'812}, {Collective::AllGather, 3'906}},
                                        .passes = {.encode = 5, .recode = 2, .decode = 1}};
    return run;
}

TEST(ForecastCase, CompressedExchangesAreForecastByTheirStages) {
    const double stage = 0.001 + 3'906 * 8e-8;
    const auto one = forecastCases({sharded(1)}, measured())[0];
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_NEAR(one.round.input.exchange.first, stage, 1e-9);
    EXPECT_NEAR(one.round.blocked, stage, 1e-9) << "the second stage leaves at the merge";
    EXPECT_TRUE(one.reason().contains(QStringLiteral("nothing is computed beside the second")))
        << one.reason().toStdString();
    ASSERT_TRUE(one.remedy);
    EXPECT_EQ(one.settings[0].toml, QStringLiteral("2"));
    EXPECT_TRUE(one.assumes.join(u' ').contains(QStringLiteral("Coding takes no time")));
    const auto enough = forecastCases({sharded(2)}, measured())[0];
    EXPECT_EQ(enough.round.blocked, 0);
    EXPECT_TRUE(enough.reason().contains(QStringLiteral("the second 1.31"))) << enough.reason().toStdString();
    EXPECT_TRUE(forecastCases({plan(config(3) + "[compression]\nname = \"none\"\n")}, measured())[0].known());
}

TEST(ForecastCase, CompressedExchangesWithoutAFormulaSayWhy) {
    PlannedRun warming = sharded(3);
    warming.compressed->why = "it warms up";
    EXPECT_EQ(forecastCases({warming}, measured())[0].why,
              QStringLiteral("There is no formula for dasgd: it warms up."));
}

TEST(ForecastCase, OperatorsOfASweepAreCasesOfTheirOwn) {
    const auto cases = forecastCases({sharded(3), sharded(3, "[compression]\nname = \"int\"\n")}, measured());
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[1].label, QStringLiteral("compression = int"));
}

TEST(ForecastCase, ADelayBeyondThePeriodTakesThePeriodWithIt) {
    std::string toml = config(3);
    toml.replace(toml.find("period = 8"), 10, "period = 4");
    const auto one = forecastCases({plan(toml)}, measured())[0];
    EXPECT_TRUE(one.warning().endsWith(QString::fromUtf8("d ≥ 5 would, with τ ≥ 5."))) << one.warning().toStdString();
    EXPECT_EQ(one.remedy->steps, 5);
}

TEST(ForecastCase, ADelayThatNobodyWouldSetIsNotProposed) {
    PlannedRun run = plan(config(3));
    run.parameters = 1'000'000'000;
    const auto one = forecastCases({run}, measured())[0];
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_FALSE(one.remedy);
    EXPECT_TRUE(one.warning().contains(QStringLiteral("not even with d = %1").arg(grouped(1000))));
    std::string endless = config(3);
    endless.replace(endless.find("period = 8"), 10, "period = 1000000000");
    const auto long_ = forecastCases({plan(endless)}, measured())[0];
    ASSERT_TRUE(long_.known());
    EXPECT_TRUE(long_.inWords().contains(QStringLiteral("The picture draws"))) << long_.inWords().toStdString();
}

TEST(ForecastCase, WhateverItsTimesReadIsACaseOfItsOwn) {
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
    PlannedRun other = plan(base);
    other.parameters = 1;
    EXPECT_EQ(forecastCases({plan(base), other}, unmeasured()).at(1).label, QStringLiteral("weights = 1"));
}

TEST(ForecastCase, WhereAllHidesNothingIsWarnedOf) {
    const auto one = forecastCases({plan(config(5))}, measured())[0];
    EXPECT_TRUE(one.warning().isEmpty());
    EXPECT_FALSE(one.remedy);
    EXPECT_DOUBLE_EQ(*one.round.hidden(), 1);
}

TEST(ForecastCase, AnAlgorithmWithFieldsLikeThoseOfDasgdGetsNoFormulaOfIt) {
    const auto one = forecastCases({plan(config(3, "lenet", kLink, "lookahead"))}, measured())[0];
    EXPECT_FALSE(one.known());
    EXPECT_EQ(one.why, QStringLiteral("There is no formula for lookahead."));
    const auto local = forecastCases({plan(config(3, "lenet", kLink, "local_sgd"))}, measured())[0];
    ASSERT_TRUE(local.known());
    EXPECT_NEAR(local.round.blocked, kAverage, 1e-9);
    EXPECT_FALSE(local.remedy) << "it has no delay to set";
    const char* const said = "22.00\u00a0ms per round will not hide: local_sgd waits for each average.";
    EXPECT_EQ(local.warning(), QString::fromUtf8(said));
}

// Algorithms that nothing in the window knows by name, as `dasgd describe --json` would print them.
constexpr const char* kUnknownAlgorithms = R"({"sections": [{"name": "algorithm", "fields": [], "plugins": [
  {"name": "whole_round", "summary": "", "reference": "", "communication": {"kind": "averages", "period": "rounds",
   "delay": "rounds", "assumes": ["All is well."]}, "fields": [
    {"name": "rounds", "type": "integer", "default": "3", "symbol": "H"}]},
  {"name": "parts", "summary": "", "reference": "", "communication": {"kind": "averages", "period": "rounds",
   "delay": "lag", "fragments": "parts", "delay_below_interval": true}, "fields": [
    {"name": "rounds", "type": "integer", "default": "4", "symbol": "H"},
    {"name": "lag", "type": "integer", "default": "0"},
    {"name": "parts", "type": "integer", "default": "2"}]},
  {"name": "push", "summary": "", "reference": "", "communication": {"kind": "averages", "delay": "late", "peers": 1,
   "most_delay": 1}, "fields": [{"name": "late", "type": "bool", "default": "false"}]},
  {"name": "switches", "summary": "", "reference": "", "communication": {"kind": "averages", "period": 4,
   "gradient_steps": "first", "first_bucket_mb": 25}, "fields": [
    {"name": "first", "type": "integer", "default": "10"}]},
  {"name": "served", "summary": "", "reference": "", "communication": {"kind": "averages", "servers": "boxes",
   "limits": [{"field": "lead", "value": "0", "why": "workers come apart", "unless": true}]}, "fields": [
    {"name": "boxes", "type": "integer", "default": "1"}, {"name": "lead", "type": "integer", "default": "0"}]},
  {"name": "measures", "summary": "", "reference": "", "communication": {"kind": "no formula", "why": "it measures"},
   "fields": []},
  {"name": "signs", "summary": "", "reference": "", "communication": {"kind": "averages", "own_coding": {
   "share": 0.03125, "encode": 2, "recode": 1, "decode": 3, "recode_of_part": 4}}, "fields": []},
  {"name": "silent", "summary": "", "reference": "", "communication": {"kind": "none"}, "fields": []},
  {"name": "newer", "summary": "", "reference": "", "communication": {"kind": "of a later version"}, "fields": []}
]}]})";

class UnknownAlgorithm : public ::testing::Test {
protected:
    [[nodiscard]] static ForecastCase of(const char* name, qint64 steps = 0, double stepMs = 5) {
        ForecastSources sources = measured();
        sources.algorithms = readSchema(kUnknownAlgorithms)->section("algorithm")->plugins;
        sources.runs.front().stepSeconds = stepMs * 1e-3;
        PlannedRun run = plan(std::string("[algorithm]\nname = \"") + name +
                              "\"\n[model]\nname = \"lenet\"\n[train]\nbatch_size = 32\n[cluster]\nbackend = "
                              "\"gloo\"\nworkers = 2\n" +
                              kLink);
        run.steps = steps;
        return forecastCases({run}, sources).at(0);
    }
};

// T_c 5 ms, T_m 22 ms.
TEST_F(UnknownAlgorithm, OverlappingAWholeRoundNeedsALongerRound) {
    const ForecastCase one = of("whole_round");
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_EQ(one.round.steps, 3) << "the default of its field";
    EXPECT_NEAR(one.round.blocked, kAverage - 3 * 0.005, 1e-9);
    EXPECT_EQ(one.warning(), QString::fromUtf8("7.00\u00a0ms per round will not hide; H ≥ 5 would."));
    ASSERT_EQ(one.settings.size(), 1U);
    EXPECT_EQ(one.settings[0].key, QStringLiteral("algorithm.rounds"));
    EXPECT_EQ(one.remedy->steps, 5);
    EXPECT_EQ(one.remedy->blocked, 0);
    EXPECT_TRUE(one.inWords().contains(QStringLiteral("Assumed: All is well.")));
}

TEST_F(UnknownAlgorithm, AFragmentIsLessToSendAndItsDelayStaysWithinItsTurn) {
    const ForecastCase one = of("parts");
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_EQ(one.round.steps, 2);
    EXPECT_NEAR(one.round.input.exchange.first, 0.002 + 0.010, 1e-9) << "half of the bytes, all of the latency";
    EXPECT_EQ(one.warning(), QString::fromUtf8("12.00\u00a0ms per round will not hide; lag ≥ 3 would, with H ≥ 8."));
    ASSERT_EQ(one.settings.size(), 2U);
    EXPECT_EQ(one.settings[1].key, QStringLiteral("algorithm.rounds"));
    EXPECT_EQ(one.remedy->steps, 4);
}

TEST_F(UnknownAlgorithm, ASwitchHidesAStepOrNothing) {
    const ForecastCase slow = of("push", 0, 25);
    ASSERT_TRUE(slow.known()) << slow.why.toStdString();
    EXPECT_NEAR(slow.round.blocked, 0.021, 1e-9) << "one message";
    EXPECT_TRUE(slow.warning().endsWith(QStringLiteral("late = true would."))) << slow.warning().toStdString();
    EXPECT_EQ(slow.settings.at(0).toml, QStringLiteral("true"));
    const ForecastCase fast = of("push", 0, 5);
    EXPECT_FALSE(fast.remedy);
    EXPECT_TRUE(fast.warning().endsWith(QStringLiteral("not even with late = true."))) << fast.warning().toStdString();
}

TEST_F(UnknownAlgorithm, APushAndAPullAreForecastWhereWorkersStayTogether) {
    const ForecastCase one = of("served");
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_NEAR(one.round.blocked, 2 * 0.021, 1e-9) << "one worker and its server";
    EXPECT_EQ(one.round.steps, 1);
}

// A bit a number: half of the 7.8 kB goes to the other worker, and half comes back.
TEST_F(UnknownAlgorithm, WhatItCodesItselfIsLessToSend) {
    const ForecastCase one = of("signs");
    ASSERT_TRUE(one.known()) << one.why.toStdString();
    EXPECT_NEAR(one.round.input.exchange.first, 0.001 + 250e3 / 32 / 2 * 8e-8, 1e-6);
    EXPECT_NEAR(one.round.input.exchange.second, 0.001 + 250e3 / 32 / 2 * 8e-8, 1e-6);
    EXPECT_TRUE(one.inWords().contains(QStringLiteral("Coding takes no time")));
}

TEST_F(UnknownAlgorithm, WhatChangesOverIsForecastAsTheRunEnds) {
    EXPECT_EQ(of("switches", 10).round.steps, 1);
    EXPECT_NEAR(of("switches", 10).round.stepSeconds(), 0.005 + kAverage, 1e-9);
    EXPECT_EQ(of("switches", 11).round.steps, 4);
    EXPECT_TRUE(of("switches", 11).inWords().contains(QStringLiteral("first 10 steps")));
}

TEST_F(UnknownAlgorithm, WithoutAFormulaSaysSoAndWithoutMessagesWaitsForNone) {
    EXPECT_EQ(of("measures").why, QStringLiteral("There is no formula for measures: it measures."));
    EXPECT_EQ(of("newer").why, QStringLiteral("There is no formula for newer."));
    const ForecastCase silent = of("silent");
    ASSERT_TRUE(silent.known()) << silent.why.toStdString();
    EXPECT_FALSE(silent.round.hidden());
    EXPECT_TRUE(silent.warning().isEmpty());
}

TEST(ForecastCase, GradientsInSeveralBucketsHaveNoFormula) {
    std::string toml = config(0, "lenet", kLink, "sync_sgd");
    toml.replace(toml.find("period = 8"), 10, "first_bucket_mb = 1.0");
    PlannedRun run = plan(toml);
    EXPECT_TRUE(forecastCases({run}, measured())[0].known());
    run.parameters = 11'000'000;
    const auto one = forecastCases({run}, measured())[0];
    EXPECT_TRUE(one.why.contains(QStringLiteral("more than one bucket"))) << one.why.toStdString();
}

TEST(ForecastCase, WithoutAMeasuredStepItSaysSo) {
    const auto one = forecastCases({plan(config(3))}, unmeasured())[0];
    EXPECT_FALSE(one.known());
    EXPECT_TRUE(one.why.contains(QStringLiteral("No run has timed this step yet")));
    EXPECT_TRUE(forecastCases({}, measured()).empty());
}

TEST(ForecastCase, WhatADelayCanMendIsShownFirst) {
    const auto cases = forecastCases({plan(config(0, "lenet", kLink, "local_sgd")), plan(config(5)), plan(config(4)),
                                      plan(config(0, "lenet", kLink, "x"))},
                                     measured());
    EXPECT_EQ(mostExposed(cases), 2U);
    EXPECT_EQ(mostExposed({}), 0U);
}

TEST(ForecastCase, KeysThatNoRunTakesFromTheirDefaultAreNotInTheName) {
    ForecastSources sources = measured();
    const FieldInfo bucket{.name = "first_bucket_mb",
                           .type = "number",
                           .defaultToml = "1.0",
                           .optional = false,
                           .spec = {},
                           .children = {}};
    std::ranges::find(sources.algorithms, "sync_sgd", &SchemaPlugin::name)->fields.push_back(bucket);
    const auto sync = [](const std::string& mb) {
        std::string toml = config(3, "lenet", kLink, "sync_sgd");
        return plan(toml.insert(toml.find("[model]"), "first_bucket_mb = " + mb + "\n"));
    };
    const auto names = [&](const std::vector<PlannedRun>& runs) {
        QStringList all;
        for (const ForecastCase& one : forecastCases(runs, sources)) all << one.label;
        return all;
    };
    EXPECT_EQ(names({plan(config(3)), sync("1.0")})[1], QStringLiteral("sync_sgd"));
    EXPECT_TRUE(names({plan(config(3)), sync("1.0"), sync("2.0")})[1].contains(QStringLiteral("first_bucket_mb = 1.0")))
        << "it varies";
    EXPECT_TRUE(names({plan(config(3)), sync("2.0")})[1].contains(QStringLiteral("first_bucket_mb = 2.0")))
        << "it is not the default";
}

}  // namespace
}  // namespace dasgd::gui
