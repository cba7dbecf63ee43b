#include "experiments/tools/forecast/forecast_times.h"

#include <gmock/gmock.h>

#include "tests/experiments/tools/forecast/planned_runs.h"

namespace dasgd::experiments {
namespace {

using namespace forecast_test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ForecastTimes, TheStepIsThatOfTheNewestRunThatComputesTheSame) {
    storage::RunRow simulated = runOf("sim", config(3), "2026-11-23T12:00:00Z");
    simulated.timeSimulated = true;
    storage::RunRow probe = runOf("probe", config(3), "2026-11-23T13:00:00Z");
    probe.algorithm = "probe";
    const std::vector<storage::RunRow> runs{runOf("old", config(2), "2026-11-20T12:00:00Z"), runOf("new", config(3)),
                                            runOf("other", config(3, "mlp"), "2026-11-22T12:00:00Z"), simulated, probe};
    const ForecastSources sources{.runs = timedRuns(runs), .now = kNow};
    EXPECT_EQ(sources.runs.size(), 3U) << "neither simulated time nor a probe's steps";
    const auto step = stepTimeOf(settingsOf(config(1)), sources);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->run, "new");
    EXPECT_NEAR(step->seconds, 0.005, 1e-12) << "without waiting";
    EXPECT_EQ(step->from, "dasgd run new less its waiting, 2 days old, mean of 2000 steps");
    const auto unknown = stepTimeOf(settingsOf(config(1, "resnet18")), sources);
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().message.find("Calibrate"), std::string::npos) << "the remedy";
}

TEST(ForecastTimes, ACalibrationGoesBeforeARunAndAPreferredOneBeforeANewerOne) {
    ForecastSources sources{.runs = timedRuns({runOf("r1", config(3))}),
                            .calibrations = {calibration("old", 5), calibration("new", 1)},
                            .now = kNow};
    EXPECT_EQ(stepTimeOf(settingsOf(config(1)), sources)->run, "run-new");
    EXPECT_NEAR(stepTimeOf(settingsOf(config(1)), sources)->forwardShare, 0.4, 1e-12);
    sources.calibrations[0].preferred = true;
    const auto step = stepTimeOf(settingsOf(config(1)), sources);
    EXPECT_EQ(step->from, "calibration old, 5 days old, mean of 43 steps");
    EXPECT_EQ(stepTimeOf(settingsOf(config(1, "mlp")), sources).has_value(), false) << "of another step";
}

TEST(ForecastTimes, ARunOfTheSameSettingsGoesBeforeWhateverTheUserDoesNotPrefer) {
    ForecastSources sources{.own = {{.key = stepKey(settingsOf(config(3))),
                                     .stepSeconds = 0.007,
                                     .backwardShare = 0.7,
                                     .steps = 412,
                                     .run = "own",
                                     .algorithm = "dasgd",
                                     .measured = kNow - 3 * 3600}},
                            .runs = timedRuns({runOf("r1", config(3))}),
                            .calibrations = {calibration("new", 1)},
                            .now = kNow};
    const auto step =
        stepTimeOf(settingsOf(replaced(config(3), "batch_size = 32", "batch_size = 32\nseed = 9")), sources);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->run, "own") << "another seed is the same setting";
    EXPECT_NEAR(step->seconds, 0.007, 1e-12);
    EXPECT_NEAR(step->forwardShare, 0.3, 1e-12);
    EXPECT_EQ(step->contention, 0) << "it is in the steps";
    EXPECT_EQ(step->from, "dasgd run own, 3 h old, median of 412 clean steps");
    EXPECT_EQ(stepTimeOf(settingsOf(config(1)), sources)->run, "run-new") << "another delay is another setting";
    sources.calibrations[0].preferred = true;
    EXPECT_EQ(stepTimeOf(settingsOf(config(3)), sources)->run, "run-new");
}

TEST(ForecastTimes, ARunThatCompressesTimesNoStepOfOthers) {
    const auto runs = [](const std::string& more) { return timedRuns({runOf("r1", config(3) + more)}); };
    EXPECT_EQ(runs("[compression]\nname = \"none\"\n").size(), 1U);
    EXPECT_TRUE(runs("[compression]\nname = \"topk\"\n").empty());
}

TEST(ForecastTimes, TheAverageIsARingOverTheEmulatedLink) {
    const auto average = averageTimeOf(settingsOf(config(1)), 62'500, {.now = kNow});
    ASSERT_TRUE(average);
    EXPECT_NEAR(average->exchange.first, kAverage, 1e-9);
    EXPECT_NEAR(average->bytes, 250'000, 1e-6);
    EXPECT_EQ(average->from, "ring over the emulated 100Mbps, 1ms");
    EXPECT_FALSE(averageTimeOf(settingsOf(config(1, "lenet", "")), 62'500, {})) << "no link, no formula";
}

TEST(ForecastTimes, OneExchangeIsOfTheShareThatLeavesAndGoesToItsPeers) {
    const auto quarter = averageTimeOf(settingsOf(config(1)), 62'500, {.now = kNow}, {.share = 0.25});
    ASSERT_TRUE(quarter);
    EXPECT_NEAR(quarter->bytes, 62'500, 1e-6);
    EXPECT_NEAR(quarter->exchange.first, 0.002 + 0.005, 1e-9);
    std::string five = config(1);
    five.replace(five.find("workers = 2"), 11, "workers = 5");
    const auto peers = averageTimeOf(settingsOf(five), 62'500, {.now = kNow}, {.peers = 2});
    ASSERT_TRUE(peers);
    EXPECT_NEAR(peers->exchange.first, 0.001 + 2 * 0.020, 1e-9);
    EXPECT_EQ(peers->from, "messages to 2 peers at once over the emulated 100Mbps, 1ms");
    EXPECT_THAT(averageTimeOf(settingsOf(config(1)), 62'500, {.now = kNow}, {.peers = 2})->from,
                StartsWith("a message to one peer"));
    const auto served = averageTimeOf(settingsOf(five), 62'500, {.now = kNow}, {.servers = 1});
    ASSERT_TRUE(served);
    EXPECT_NEAR(served->exchange.first, 2 * (0.001 + 4 * 0.020), 1e-9) << "four workers, and one link that they share";
    EXPECT_EQ(served->from, "a push to 1 server and a pull over the emulated 100Mbps, 1ms");
}

TEST(ForecastTimes, ACalibrationOfTheSameLinkSaysWhatItCostsAndOfAnotherLinkNothing) {
    const ForecastSources sources{.calibrations = {calibration("one", 1)}, .now = kNow};
    const auto average = averageTimeOf(settingsOf(config(1)), 62'500, sources);
    EXPECT_NEAR(average->exchange.first, 2 * 0.0005 + 250'000 * 1e-7, 1e-9);
    EXPECT_THAT(average->from, HasSubstr("calibration one"));
    EXPECT_EQ(average->doubt, "");
    ForecastSources doubted = sources;
    doubted.calibrations[0].doubt = "No link fits. Calibrate again.";
    EXPECT_EQ(averageTimeOf(settingsOf(config(1)), 62'500, doubted)->doubt,
              "Calibration one: No link fits. Calibrate again.");
    const Settings faster =
        settingsOf(config(1, "lenet", "[cluster.link]\nbandwidth = \"1Gbps\"\nlatency = \"1ms\"\n"));
    EXPECT_THAT(averageTimeOf(faster, 62'500, sources)->from, HasSubstr("emulated 1Gbps"));
}

TEST(ForecastTimes, ASimulatedClusterSaysItsTimesItself) {
    const auto settings = [](const std::string& network, const std::string& time) {
        return settingsOf(
            "[train]\nbatch_size = 32\n[cluster]\nbackend = \"virtual\"\nworkers = 8\n[network]\nname = \"" + network +
            "\"\nbandwidth = \"1Gbps\"\nlatency = \"90us\"\ncollective = \"ring\"\n[compute]\nstep_time = \"" + time +
            "\"\nforward_share = 0.33\ncontention = 0.05\n");
    };
    const auto step = stepTimeOf(settings("star", "5ms"), {});
    ASSERT_TRUE(step);
    EXPECT_TRUE(step->given);
    EXPECT_NEAR(step->seconds, 0.005, 1e-12);
    EXPECT_NEAR(step->contention, 0.05, 1e-12);
    EXPECT_FALSE(stepTimeOf(settings("star", "measured"), {}));
    const auto average = averageTimeOf(settings("star", "5ms"), 1'000'000, {});
    ASSERT_TRUE(average);
    EXPECT_NEAR(average->exchange.first, ringAllReduceSeconds({.alpha = 90e-6, .beta = 8e-9}, 4e6, 8), 1e-12);
    const auto torus = averageTimeOf(settings("torus", "5ms"), 1'000'000, {});
    ASSERT_FALSE(torus);
    EXPECT_NE(torus.error().message.find("torus"), std::string::npos);
}

CommunicationRound shardedRound() {
    using Collective = CompressedExchange::Collective;
    return {.compressed =
                CompressedExchange{.why = "",
                                   .stages = {{Collective::AllToAll, 40'000}, {Collective::AllGather, 20'000}},
                                   .passes = {.encode = 5, .recode = 2, .decode = 1}}};
}

TEST(ForecastTimes, ACompressedExchangeIsItsMessagesAndItsCoding) {
    ForecastSources sources{.calibrations = {calibration("one", 1)}, .now = kNow};
    const auto unknown = averageTimeOf(settingsOf(config(1)), 62'500, sources, shardedRound());
    ASSERT_TRUE(unknown) << unknown.error().message;
    EXPECT_NEAR(unknown->exchange.first, 0.0005 + 20'000 * 1e-7, 1e-12);
    EXPECT_NEAR(unknown->exchange.second, 0.0005 + 20'000 * 1e-7, 1e-12);
    EXPECT_NEAR(unknown->bytes, 60'000, 1e-6);
    EXPECT_FALSE(unknown->codingKnown);
    EXPECT_THAT(unknown->from, StartsWith("all-to-all and all-gather with α, β, ρ of calibration one"));
    sources.calibrations[0].memoryBytesPerSecond = 1e9;
    const auto known = averageTimeOf(settingsOf(config(1)), 62'500, sources, shardedRound());
    EXPECT_TRUE(known->codingKnown);
    EXPECT_NEAR(known->exchange.coding(), 8 * 250'000 / 1e9, 1e-12);
    // The text of a simulated cluster names the times.
    const auto simulated = averageTimeOf(
        settingsOf("[train]\nbatch_size = 32\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n[network]\nname = "
                   "\"star\"\nbandwidth = \"1Gbps\"\nlatency = \"90us\"\ncollective = \"ring\"\n[compute]\nstep_time = "
                   "\"5ms\"\nmemory_bandwidth = \"2GB/s\"\n"),
        62'500, {}, shardedRound());
    ASSERT_TRUE(simulated);
    EXPECT_NEAR(simulated->exchange.coding(), 8 * 250'000 / 2e9, 1e-12);
    EXPECT_NEAR(simulated->exchange.first, 90e-6 + 20'000 * 8e-9, 1e-12);
}

TEST(ForecastTimes, RanksOfUnlikeSpeedAndFailuresHaveNoFormula) {
    const std::string base =
        "[train]\nbatch_size = 32\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n[compute]\nstep_time = \"5ms\"\n";
    EXPECT_TRUE(stepTimeOf(settingsOf(base + "rank_factors = [1.0, 1]\n"), {}));
    for (const char* const more :
         {"rank_factors = [1.0, 2.0]\n", "[compute.straggler]\nfactor = 3.0\n", "[faults]\nseed = 1\n"}) {
        const auto step = stepTimeOf(settingsOf(base + more), {});
        ASSERT_FALSE(step) << more;
        EXPECT_NE(step.error().message.find("no formula"), std::string::npos);
    }
}

TEST(ForecastTimes, OneWorkerTransfersNothing) {
    std::string alone = config(1, "lenet", "");
    alone.replace(alone.find("workers = 2"), 11, "workers = 1");
    const auto average = averageTimeOf(settingsOf(alone), 62'500, {.now = kNow});
    ASSERT_TRUE(average) << average.error().message;
    EXPECT_EQ(average->exchange.first, 0);
}

TEST(ForecastTimes, ATimeOfAnotherNumberOfWorkersSaysSo) {
    std::string eight = config(1);
    eight.replace(eight.find("workers = 2"), 11, "workers = 8");
    const std::string said = "measured with P = 2";
    ForecastSources sources{.runs = timedRuns({runOf("r1", config(3))}), .now = kNow};
    EXPECT_THAT(stepTimeOf(settingsOf(eight), sources)->from, HasSubstr(said));
    EXPECT_THAT(stepTimeOf(settingsOf(config(1)), sources)->from, Not(HasSubstr(said)));
    sources.calibrations = {calibration("c", 1)};
    EXPECT_THAT(stepTimeOf(settingsOf(eight), sources)->from, HasSubstr(said));
    EXPECT_THAT(averageTimeOf(settingsOf(eight), 62'500, sources)->from, HasSubstr(said));
    EXPECT_THAT(averageTimeOf(settingsOf(config(1)), 62'500, sources)->from, Not(HasSubstr(said)));
}

}  // namespace
}  // namespace dasgd::experiments
