#include "gui/models/runs/compare.h"

#include <gtest/gtest.h>

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

TEST(Compare, AnAlgorithmHasItsColourWhateverIsBesideIt) {
    const auto named = [](const std::string& algorithm) {
        return makeRun(algorithm, algorithm, "[algorithm]\nname = \"" + algorithm + "\"\n");
    };
    const auto colorIn = [&](std::vector<RunItemPtr> others, const std::string& algorithm) {
        StyleBook book;
        others.insert(others.begin(), startedAt(named(algorithm), "00"));
        book.assign(others);
        return book.styleOf(*others.front()).color;
    };
    for (const char* algorithm : {"dasgd", "sync_sgd", "one_that_is_new"}) {
        EXPECT_EQ(colorIn({}, algorithm),
                  colorIn({startedAt(named("local_sgd"), "01"), startedAt(named("easgd"), "02")}, algorithm));
    }
    std::set<int> distinct;
    StyleBook book;
    std::vector<RunItemPtr> runs;
    for (int i = 0; i < kCurveColors; ++i) runs.push_back(named("algorithm" + std::to_string(i)));
    book.assign(runs);
    for (const RunItemPtr& run : runs) distinct.insert(book.styleOf(*run).color);
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kCurveColors));
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

TEST(Compare, NamesSayWhatDiffers) {
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", delayed(2)), makeRun("b", "dasgd", delayed(3)),
                                       makeRun("c", "sync_sgd")};
    EXPECT_EQ(distinguishingNames(runs), (QStringList{QStringLiteral("dasgd d\u00a02"),
                                                      QStringLiteral("dasgd d\u00a03"), QStringLiteral("sync_sgd")}));
    const std::vector<RunItemPtr> seeds{makeRun("a", "dasgd", delayed(2), 1), makeRun("b", "dasgd", delayed(2), 2)};
    EXPECT_EQ(distinguishingNames(seeds),
              (QStringList{QStringLiteral("dasgd seed 1"), QStringLiteral("dasgd seed 2")}));
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
