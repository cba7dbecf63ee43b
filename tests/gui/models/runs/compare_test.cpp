#include "gui/models/runs/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

std::string delayed(int delay) {
    return "[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) + "\nperiod = 4\n";
}

RunItemPtr startedAt(const RunItemPtr& run, const std::string& second) {
    storage::RunRow row = run->row;
    row.startedAt = "2026-11-21T12:00:" + second + ".000Z";
    return makeRunItem(row);
}

RunItemPtr namedRun(const std::string& algorithm, const std::string& second, const std::string& more = "") {
    return startedAt(makeRun(algorithm + more, algorithm, "[algorithm]\nname = \"" + algorithm + "\"\n" + more),
                     second);
}

CurveStyle styleAlone(const std::string& algorithm) {
    StyleBook book;
    const std::vector<RunItemPtr> runs{namedRun(algorithm, "00")};
    book.assign(runs);
    return book.styleOf(*runs.front());
}

TEST(Compare, AnAlgorithmHasItsStyleWhateverIsBesideIt) {
    std::vector<std::string> order{"dasgd", "easgd", "one_that_is_new", "sync_sgd"};
    do {
        std::vector<RunItemPtr> runs;
        for (const std::string& algorithm : order)
            runs.push_back(namedRun(algorithm, std::to_string(10 + runs.size())));
        runs.push_back(namedRun("dasgd", "20", "delay = 2\n"));
        StyleBook book;
        book.assign(runs);
        for (const RunItemPtr& run : std::span(runs).first(order.size()))
            EXPECT_EQ(book.styleOf(*run), styleAlone(run->row.algorithm))
                << run->row.algorithm << " beside " << order[0];
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Compare, NoTwoAlgorithmsOfTheProjectLookAlike) {
    const QStringList algorithms =
        QStringLiteral(
            "adacomm bmuf co2 cocod_sgd dasgd dga diloco easgd eager_diloco hybrid_sgd independent "
            "local_sgd loscar oldsgd overlap_local_sgd post_local_sgd sgp slowmo ssp streaming_diloco sync_sgd")
            .split(QLatin1Char(' '));
    for (const QString& one : algorithms) {
        const CurveStyle a = styleAlone(one.toStdString());
        for (const QString& other : algorithms) {
            if (one == other) continue;
            const CurveStyle b = styleAlone(other.toStdString());
            EXPECT_TRUE(a.color != b.color || (a.dash != b.dash && a.marker != b.marker))
                << one.toStdString() << " and " << other.toStdString();
        }
    }
}

TEST(Compare, TheSevenThatAreDrawnTogetherMostHaveAColourEach) {
    std::set<int> colors;
    for (const char* algorithm :
         {"dasgd", "sync_sgd", "local_sgd", "hybrid_sgd", "independent", "overlap_local_sgd", "cocod_sgd"})
        colors.insert(styleAlone(algorithm).color);
    EXPECT_EQ(colors.size(), static_cast<std::size_t>(kCurveColors));
}

TEST(Compare, AlgorithmsThatNobodyKnowsAreToldApartInWhateverOrderTheyStart) {
    const auto styles = [](bool reversed) {
        std::vector<RunItemPtr> runs;
        for (int i = 0; i < 2 * kCurveColors; ++i)
            runs.push_back(namedRun(std::string("algorithm").append(std::to_string(i)),
                                    std::to_string(reversed ? 30 - i : 10 + i)));
        StyleBook book;
        book.assign(runs);
        std::set<std::tuple<int, int, int>> found;
        for (const RunItemPtr& run : runs) {
            const CurveStyle style = book.styleOf(*run);
            found.insert({style.color, style.dash, style.marker});
        }
        return found;
    };
    EXPECT_EQ(styles(false).size(), 2U * kCurveColors);
    EXPECT_EQ(styles(true).size(), 2U * kCurveColors);
}

TEST(Compare, ConfigurationsOfASweepDifferInColourDashAndMarker) {
    std::vector<RunItemPtr> runs{namedRun("local_sgd", "01"), namedRun("sync_sgd", "02")};
    for (int delay = 1; delay <= 4; ++delay)
        runs.push_back(namedRun("dasgd", std::to_string(10 + delay), "delay = " + std::to_string(delay) + "\n"));
    StyleBook book;
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[2]), styleAlone("dasgd")) << "the first has its algorithm's";
    std::set<int> colors, dashes, markers;
    for (const RunItemPtr& run : std::span(runs).subspan(2)) {
        const CurveStyle style = book.styleOf(*run);
        colors.insert(style.color);
        dashes.insert(style.dash);
        markers.insert(style.marker);
        EXPECT_NE(style.color, book.styleOf(*runs[0]).color) << "that of another algorithm";
        EXPECT_NE(style.color, book.styleOf(*runs[1]).color) << "that of another algorithm";
    }
    EXPECT_EQ(colors.size(), 4U);
    EXPECT_EQ(dashes.size(), 4U);
    EXPECT_EQ(markers.size(), 4U);
}

TEST(Compare, WhatIsRunAgainWithOtherTrainingKeepsTheColourOfItsAlgorithm) {
    const auto run = [](const char* algorithm, const char* second, int epochs) {
        return namedRun(algorithm, second, "[train]\nepochs = " + std::to_string(epochs) + "\n");
    };
    const std::vector<RunItemPtr> runs{run("dasgd", "01", 5), run("sync_sgd", "02", 5), run("dasgd", "03", 10),
                                       run("sync_sgd", "04", 10)};
    StyleBook book;
    book.assign(runs);
    for (const std::size_t first : {0U, 1U}) {
        const CurveStyle before = book.styleOf(*runs[first]), again = book.styleOf(*runs[first + 2]);
        EXPECT_EQ(before.color, again.color);
        EXPECT_NE(before.dash, again.dash);
        EXPECT_NE(before.marker, again.marker);
    }
}

TEST(Compare, WhatASweepVariesHasAColourEachWhateverItIs) {
    std::vector<RunItemPtr> runs;
    for (int i = 0; i < 6; ++i) {
        storage::RunRow row = namedRun("dasgd", std::to_string(10 + i),
                                       "[train]\nepochs = " + std::to_string(i / 3) +
                                           "\n[optimizer]\nlearning_rate = 0." + std::to_string(1 + i % 3) + "\n")
                                  ->row;
        row.series = i < 3 ? "one" : "other";
        runs.push_back(makeRunItem(row));
    }
    StyleBook book;
    book.assign(runs);
    std::set<int> colors;
    for (std::size_t i = 0; i < 3; ++i) {
        colors.insert(book.styleOf(*runs[i]).color);
        EXPECT_EQ(book.styleOf(*runs[i]).color, book.styleOf(*runs[i + 3]).color) << "the same sweep, longer";
    }
    EXPECT_EQ(colors.size(), 3U);
}

TEST(Compare, WhereAlgorithmsHaveAllColoursConfigurationsDifferInDashAndMarker) {
    std::vector<RunItemPtr> runs;
    for (const char* algorithm :
         {"dasgd", "sync_sgd", "local_sgd", "hybrid_sgd", "independent", "overlap_local_sgd", "cocod_sgd"})
        runs.push_back(namedRun(algorithm, std::to_string(10 + runs.size())));
    runs.push_back(namedRun("dasgd", "20", "delay = 2\n"));
    StyleBook book;
    book.assign(runs);
    const CurveStyle one = book.styleOf(*runs.front()), other = book.styleOf(*runs.back());
    EXPECT_EQ(one.color, other.color);
    EXPECT_NE(one.dash, other.dash);
    EXPECT_NE(one.marker, other.marker);
}

TEST(Compare, EqualStylesOfOnePictureAreToldApartInTheirColour) {
    StylesApart apart;
    std::set<std::tuple<int, int, int>> distinct;
    for (int i = 0; i < kCurveColors * kCurveColors; ++i) {
        const CurveStyle style = apart.take({2, 1, 3});
        EXPECT_EQ(style.color, 2);
        distinct.insert({style.color, style.dash, style.marker});
    }
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kCurveColors * kCurveColors));
}

TEST(Compare, ConfigurationsOfOneMarkerDifferInBothColourAndDash) {
    std::vector<RunItemPtr> runs{namedRun("sync_sgd", "01"), namedRun("local_sgd", "02")};
    for (int i = 0; i < 12; ++i) {
        storage::RunRow row = namedRun("dasgd", std::to_string(10 + i), "delay = " + std::to_string(i) + "\n")->row;
        row.series = "one";
        runs.push_back(makeRunItem(row));
    }
    StyleBook book;
    book.assign(runs);
    for (const RunItemPtr& one : runs) {
        for (const RunItemPtr& other : runs) {
            const CurveStyle a = book.styleOf(*one), b = book.styleOf(*other);
            if (one == other || a.marker != b.marker) continue;
            EXPECT_NE(a.color, b.color) << one->id.toStdString() << " and " << other->id.toStdString();
            EXPECT_NE(a.dash, b.dash) << one->id.toStdString() << " and " << other->id.toStdString();
        }
    }
}

TEST(Compare, WhatDiffersInItsDashAloneGetsAnotherMarkerInOnePicture) {
    StylesApart apart;
    const CurveStyle one = apart.take({2, 1, 3}), other = apart.take({2, 4, 3});
    EXPECT_EQ(one, (CurveStyle{2, 1, 3}));
    EXPECT_EQ(other.color, 2);
    EXPECT_NE(other.marker, one.marker);
    EXPECT_EQ(apart.take({4, 1, 3}), (CurveStyle{4, 1, 3})) << "another colour is another look";
}

TEST(Compare, StylesStayWhenRunsAreAdded) {
    StyleBook book;
    std::vector<RunItemPtr> runs{startedAt(makeRun("a", "dasgd", delayed(1)), "01"),
                                 startedAt(makeRun("b", "dasgd", delayed(2)), "02")};
    book.assign(runs);
    const CurveStyle before = book.styleOf(*runs[1]);
    for (int delay = 3; delay < 20; ++delay) {
        runs.push_back(startedAt(makeRun(std::to_string(delay), "dasgd", delayed(delay)), std::to_string(10 + delay)));
    }
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[1]), before);
    std::set<std::tuple<int, int, int>> distinct;
    for (const RunItemPtr& run : runs) {
        const CurveStyle style = book.styleOf(*run);
        distinct.insert({style.color, style.dash, style.marker});
    }
    EXPECT_EQ(distinct.size(), runs.size());
}

TEST(Compare, StylesStayWhenAnAlgorithmIsAdded) {
    const std::vector<RunItemPtr> before{namedRun("sync_sgd", "01"), namedRun("dasgd", "02", "delay = 1\n"),
                                         namedRun("dasgd", "03", "delay = 3\n"),
                                         namedRun("dasgd", "04", "delay = 4\n")};
    for (const char* later : {"local_sgd", "hybrid_sgd", "independent", "easgd", "slowmo"}) {
        std::vector<RunItemPtr> runs = before;
        runs.push_back(namedRun(later, "20"));
        StyleBook alone, beside;
        alone.assign(before);
        beside.assign(runs);
        for (const RunItemPtr& run : before) EXPECT_EQ(alone.styleOf(*run), beside.styleOf(*run)) << later;
    }
}

TEST(Compare, SeedsShareAStyle) {
    StyleBook book;
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", delayed(3) + "[train]\nseed = 1\n", 1),
                                       makeRun("b", "dasgd", delayed(3) + "[train]\nseed = 2\n", 2)};
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[0]), book.styleOf(*runs[1]));
}

TEST(Compare, OverlaysTheNewestRunOfEachOtherConfiguration) {
    const RunItemPtr current = startedAt(makeRun("c", "dasgd", delayed(3)), "30");
    const std::vector<RunItemPtr> runs{startedAt(makeRun("old", "sync_sgd"), "01"),
                                       startedAt(makeRun("new", "sync_sgd"), "20"),
                                       startedAt(makeRun("own", "dasgd", delayed(3)), "10"), current,
                                       startedAt(makeRun("later", "local_sgd", "", 1, "queued"), "40")};
    const auto shown = overlaidWith(*current, runs);
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0]->id, QStringLiteral("c"));
    EXPECT_EQ(shown[1]->id, QStringLiteral("new"));
    EXPECT_EQ(overlaidWith(*current, runs, 1).size(), 1U);
}

TEST(Compare, RunsOfItsOwnSweepAreDrawnBesideARun) {
    const auto run = [](const char* id, int delay, const char* series, const char* second, const char* status) {
        storage::RunRow row = startedAt(makeRun(id, "dasgd", delayed(delay), 1, status), second)->row;
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

TEST(Compare, AProbeIsNotDrawnWithTheExperimentThatItWasMadeFor) {
    const std::vector<RunItemPtr> runs{makeRun("c", "dasgd", delayed(3)), makeRun("other", "sync_sgd"),
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
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", delayed(2)), makeRun("b", "dasgd", delayed(3)),
                                       makeRun("c", "sync_sgd")};
    EXPECT_EQ(distinguishingNames(runs), (QStringList{QStringLiteral("dasgd d\u00a02"),
                                                      QStringLiteral("dasgd d\u00a03"), QStringLiteral("sync_sgd")}));
    const std::vector<RunItemPtr> seeds{makeRun("a", "dasgd", delayed(2), 1), makeRun("b", "dasgd", delayed(2), 2)};
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
    const auto jitter = [](const char* seed) { return delayed(2) + "[train]\nseed = 1\n[compute]\nseed = " + seed; };
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
