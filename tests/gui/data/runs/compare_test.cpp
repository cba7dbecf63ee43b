#include "gui/data/runs/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Compare, OverlaysTheNewestRunOfEachOtherConfiguration) {
    const RunItemPtr current = startedAtSecond(makeRun("c", "dasgd", delayedBy(3)), "30");
    const std::vector<RunItemPtr> runs{startedAtSecond(makeRun("old", "sync_sgd"), "01"),
                                       startedAtSecond(makeRun("new", "sync_sgd"), "20"),
                                       startedAtSecond(makeRun("own", "dasgd", delayedBy(3)), "10"), current,
                                       startedAtSecond(makeRun("later", "local_sgd", "", 1, "queued"), "40")};
    const auto shown = overlaidWith(*current, runs);
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0]->id, QStringLiteral("c"));
    EXPECT_EQ(shown[1]->id, QStringLiteral("new"));
    EXPECT_EQ(overlaidWith(*current, runs, 1).size(), 1U);
}

TEST(Compare, RunsOfItsOwnSweepAreDrawnBesideARun) {
    const auto run = [](const char* id, int delay, const char* series, const char* second, const char* status) {
        storage::RunRow row = startedAtSecond(makeRun(id, "dasgd", delayedBy(delay), 1, status), second)->row;
        row.series = series;
        return makeRunItem(row);
    };
    const std::vector<RunItemPtr> runs{
        run("a1", 1, "first", "01", "finished"),  run("a2", 2, "first", "02", "finished"),
        run("a2x", 2, "first", "03", "stopped"),  run("a3", 3, "first", "04", "stopped"),
        run("b1", 1, "second", "11", "finished"), run("b2", 2, "second", "12", "finished"),
        run("b3", 3, "second", "13", "finished"), run("b4", 4, "second", "14", "finished"),
        run("c4", 4, "third", "15", "stopped")};
    const auto beside = [&](const RunItemPtr& current, std::size_t limit) {
        QStringList ids;
        for (const RunItemPtr& shown : overlaidWith(*current, runs, limit)) ids << shown->id;
        return ids;
    };
    EXPECT_EQ(beside(runs[0], 8), (QStringList{"a1", "a2", "a3", "b4"})) << "stopped ones where there is no other";
    EXPECT_EQ(beside(runs[0], 3), (QStringList{"a1", "a2", "a3"})) << "its own sweep comes first";
    EXPECT_EQ(beside(runs[4], 8), (QStringList{"b1", "b2", "b3", "b4"}));
}

TEST(Compare, BesideARunItsOwnSeedIsDrawnOrAnotherIsNamed) {
    const auto run = [](const char* id, const char* algorithm, std::uint64_t seed) {
        return makeRun(id, algorithm, "[train]\nseed = " + std::to_string(seed) + "\n", seed);
    };
    const std::vector<RunItemPtr> runs{run("a1", "dasgd", 1), run("b1", "sync_sgd", 1), run("b2", "sync_sgd", 2),
                                       run("c3", "local_sgd", 3)};
    const auto shown = overlaidWith(*runs[0], runs);
    EXPECT_EQ(distinguishingNames(shown, {}, Named::EachRun).join(u','),
              QStringLiteral("dasgd seed 1,sync_sgd seed 1,local_sgd seed 3"));
    EXPECT_EQ(distinguishingNames(shown).join(u','), QStringLiteral("dasgd,sync_sgd,local_sgd"));
}

TEST(Compare, AProbeIsNotDrawnWithTheExperimentThatItWasMadeFor) {
    const std::vector<RunItemPtr> runs{makeRun("c", "dasgd", delayedBy(3)), makeRun("other", "sync_sgd"),
                                       makeRun("p", "probe", "[algorithm]\nname = \"probe\"\n")};
    const auto beside = [&](const RunItemPtr& current) {
        QStringList ids;
        for (const RunItemPtr& run : overlaidWith(*current, runs)) ids << run->id;
        return ids;
    };
    EXPECT_EQ(beside(runs[0]), (QStringList{"c", "other"}));
    EXPECT_EQ(beside(runs[2]), QStringList{"p"});
}

TEST(Compare, NamesSayWhatDiffers) {
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", delayedBy(2)), makeRun("b", "dasgd", delayedBy(3)),
                                       makeRun("c", "sync_sgd")};
    EXPECT_EQ(distinguishingNames(runs), (QStringList{QStringLiteral("dasgd d\u00a02"),
                                                      QStringLiteral("dasgd d\u00a03"), QStringLiteral("sync_sgd")}));
    const std::vector<RunItemPtr> seeds{makeRun("a", "dasgd", delayedBy(2), 1), makeRun("b", "dasgd", delayedBy(2), 2)};
    EXPECT_EQ(distinguishingNames(seeds),
              (QStringList{QStringLiteral("dasgd seed 1"), QStringLiteral("dasgd seed 2")}));
}

TEST(Compare, NamesHaveTheOrderOfTheRecord) {
    const auto run = [](const char* id, const char* values) {
        return makeRun(id, "dasgd", std::string("[algorithm]\nname = \"dasgd\"\n") + values);
    };
    const std::vector<RunItemPtr> runs{run("a", "delay = 2\nperiod = 4\nzeal = 1\n"),
                                       run("b", "delay = 3\nperiod = 8\nzeal = 2\n")};
    EXPECT_EQ(distinguishingNames(runs).front(), QStringLiteral("dasgd \u03c4\u00a04 d\u00a02 zeal\u00a01"));
}

TEST(Compare, ALengthThatIsNotGivenIsNotNamed) {
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", "[train]\nepochs = 2.0\nsteps = 0\n"),
                                       makeRun("b", "dasgd", "[train]\nepochs = 0.0\nsteps = 500\n")};
    EXPECT_EQ(distinguishingNames(runs).join(u','), QStringLiteral("dasgd epochs\u00a02,dasgd steps\u00a0500"));
}

RunItemPtr ofExperiment(const char* experiment, const char* algorithm, const std::string& own,
                        const std::string& others) {
    storage::RunRow row = makeRun(experiment + own + algorithm, algorithm,
                                  std::string("[algorithm]\nname = \"") + algorithm + "\"\n" + own + others)
                              ->row;
    row.experiment = experiment;
    return makeRunItem(row);
}

TEST(Compare, TheAlgorithmComesFirstAndWhatTheExperimentSaysIsNotSaidAgain) {
    const std::string shortOnes =
        "[train]\neval_every = 24\nepochs = 2\ntarget_accuracy = 0.85\n[schedule]\nname = \"constant\"\n";
    const std::string longOnes =
        "[train]\neval_every = 252\nepochs = 20\n[schedule]\nname = \"one-cycle\"\n[cluster.link]\nlatency = "
        "\"1ms\"\n";
    const std::vector<RunItemPtr> runs{ofExperiment("delay-period", "dasgd", "period = 2\ndelay = 0\n", shortOnes),
                                       ofExperiment("delay-period", "dasgd", "period = 8\ndelay = 1\n", shortOnes),
                                       ofExperiment("base lines", "easgd", "period = 4\n", shortOnes),
                                       ofExperiment("first-light", "sync_sgd", "", longOnes)};
    EXPECT_EQ(distinguishingNames(runs), (QStringList{QStringLiteral("dasgd τ\u00a02 d\u00a00 (delay-period)"),
                                                      QStringLiteral("dasgd τ\u00a08 d\u00a01 (delay-period)"),
                                                      QStringLiteral("easgd τ\u00a04 (base\u00a0lines)"),
                                                      QStringLiteral("sync_sgd (first-light)")}));
}

TEST(Compare, TheNumberOfWorkersIsSaidThoughTheExperimentImpliesIt) {
    const auto of = [](const char* experiment, const char* workers) {
        return ofExperiment(experiment, "dasgd", "period = 4\n", std::string("[cluster]\nworkers = ") + workers + "\n");
    };
    EXPECT_EQ(distinguishingNames(std::vector{of("simulated", "4"), of("measured", "2")}),
              (QStringList{QStringLiteral("dasgd workers\u00a04 (simulated)"),
                           QStringLiteral("dasgd workers\u00a02 (measured)")}));
}

TEST(Compare, AConfigurationOfSeveralExperimentsHasTheNamesOfAll) {
    const auto of = [](const char* experiment, const char* period) {
        return ofExperiment(experiment, "dasgd", std::string("period = ") + period + "\n", "");
    };
    const std::vector<std::vector<RunItemPtr>> merged{{of("probe", "4"), of("fast start", "4"), of("probe", "4")},
                                                      {of("probe", "2")}};
    EXPECT_EQ(configurationNames(merged), (QStringList{QStringLiteral("dasgd τ\u00a04 (probe,\u00a0fast\u00a0start)"),
                                                       QStringLiteral("dasgd τ\u00a02 (probe)")}));
}

TEST(Compare, AThirdSettingThatFollowsFromAnotherIsNotSaid) {
    const auto run = [](const char* id, const char* rest) {
        return makeRun(id, "dasgd", std::string("[algorithm]\nname = \"dasgd\"\n") + rest);
    };
    const std::vector<RunItemPtr> two{
        run("a", "[schedule]\nname = \"constant\"\n[train]\nepochs = 2\neval_every = 24\nbatch_size = 8\n"),
        run("b", "[schedule]\nname = \"one-cycle\"\n[train]\nepochs = 20\neval_every = 252\nbatch_size = 16\n")};
    EXPECT_EQ(distinguishingNames(two), (QStringList{QStringLiteral("dasgd batch\u00a08 epochs\u00a02"),
                                                     QStringLiteral("dasgd batch\u00a016 epochs\u00a020")}));
    const std::vector<RunItemPtr> schedules{run("a", "[schedule]\nname = \"constant\"\n"),
                                            run("b", "[schedule]\nname = \"one-cycle\"\n")};
    EXPECT_EQ(distinguishingNames(schedules), (QStringList{QStringLiteral("dasgd schedule\u00a0constant"),
                                                           QStringLiteral("dasgd schedule\u00a0one-cycle")}));
}

TEST(Compare, WhatDiffersMostComesFirst) {
    std::vector<RunItemPtr> runs;
    for (const int epochs : {1, 2}) {
        for (const int rate : {1, 2, 3}) {
            runs.push_back(makeRun("r" + std::to_string(10 * epochs + rate), "dasgd",
                                   "[algorithm]\nname = \"dasgd\"\n[data]\nparts = " + std::to_string(epochs) +
                                       "\n[train]\nrate = " + std::to_string(rate) + "\n"));
        }
    }
    EXPECT_EQ(distinguishingNames(runs).front(), QStringLiteral("dasgd rate\u00a01 parts\u00a01"));
    const std::vector<RunItemPtr> same{makeRun("a", "dasgd", "[link]\nlatency = 1\n"),
                                       makeRun("b", "dasgd", "[network]\nlatency = 1\n")};
    EXPECT_EQ(distinguishingNames(same), (QStringList{QStringLiteral("dasgd link.latency\u00a01"),
                                                      QStringLiteral("dasgd network.latency\u00a01")}));
}

TEST(Compare, ValuesThatSixDigitsDoNotTellApartHaveMoreInTheNames) {
    const auto rate = [](const char* value) {
        return std::string("[algorithm]\nname = \"dasgd\"\n[optimizer]\nlearning_rate = ") + value + "\n";
    };
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", rate("0.1000001")),
                                       makeRun("b", "dasgd", rate("0.1000002"))};
    EXPECT_EQ(distinguishingNames(runs),
              (QStringList{QStringLiteral("dasgd η\u00a00.1000001"), QStringLiteral("dasgd η\u00a00.1000002")}));
}

TEST(Compare, NamesSayWhichSeedDiffers) {
    const auto jitter = [](const char* seed) { return delayedBy(2) + "[train]\nseed = 1\n[compute]\nseed = " + seed; };
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", jitter("1")), makeRun("b", "dasgd", jitter("2"))};
    EXPECT_EQ(runs[0]->group, runs[1]->group);
    EXPECT_EQ(distinguishingNames(runs), (QStringList{QStringLiteral("dasgd seed 1 compute.seed 1"),
                                                      QStringLiteral("dasgd seed 1 compute.seed 2")}));
}

TEST(Compare, WhatStandsApartDoesNotCount) {
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", "[algorithm]\ndelay = 1\n[cluster]\nworkers = 1\n"),
                                       makeRun("b", "dasgd", "[algorithm]\ndelay = 2\n[cluster]\nworkers = 8\n")};
    EXPECT_EQ(distinguishingNames(runs, {"cluster.workers"}),
              (QStringList{QStringLiteral("dasgd d\u00a01"), QStringLiteral("dasgd d\u00a02")}));
}

}  // namespace
}  // namespace dasgd::gui
