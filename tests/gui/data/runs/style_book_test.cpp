#include "gui/data/runs/style_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr namedRun(const std::string& algorithm, const std::string& second, const std::string& more = "") {
    const std::string config = "[algorithm]\nname = \"" + algorithm + "\"\n" + more;
    return startedAtSecond(makeRun(second + algorithm + more, algorithm, config), second);
}

CurveStyle styleAlone(const std::string& algorithm) {
    StyleBook book;
    const std::vector<RunItemPtr> runs{namedRun(algorithm, "00")};
    book.assign(runs);
    return book.styleOf(*runs.front());
}

TEST(StyleBook, AnAlgorithmHasItsStyleWhateverIsBesideIt) {
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

TEST(StyleBook, NoTwoAlgorithmsOfTheProjectLookAlike) {
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

TEST(StyleBook, TheSevenThatAreDrawnTogetherMostHaveAColourEach) {
    std::set<int> colors;
    for (const char* algorithm :
         {"dasgd", "sync_sgd", "local_sgd", "hybrid_sgd", "independent", "overlap_local_sgd", "cocod_sgd"})
        colors.insert(styleAlone(algorithm).color);
    EXPECT_EQ(colors.size(), static_cast<std::size_t>(kCurveColors));
}

TEST(StyleBook, AlgorithmsThatNobodyKnowsAreToldApartInWhateverOrderTheyStart) {
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

TEST(StyleBook, ConfigurationsOfASweepDifferInColourDashAndMarker) {
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

TEST(StyleBook, WhatIsRunAgainWithOtherTrainingKeepsTheColourOfItsAlgorithm) {
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

TEST(StyleBook, WhatASweepVariesHasAColourEachWhateverItIs) {
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

TEST(StyleBook, WhereAlgorithmsHaveAllColoursConfigurationsDifferInDashAndMarker) {
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

TEST(StyleBook, EqualStylesOfOnePictureAreToldApartInTheirColour) {
    StylesApart apart;
    std::set<std::tuple<int, int, int>> distinct;
    for (int i = 0; i < kCurveColors * kCurveColors; ++i) {
        const CurveStyle style = apart.take({2, 1, 3});
        EXPECT_EQ(style.color, 2);
        distinct.insert({style.color, style.dash, style.marker});
    }
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kCurveColors * kCurveColors));
}

TEST(StyleBook, ConfigurationsOfOneMarkerDifferInBothColourAndDash) {
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

TEST(StyleBook, WhatDiffersInItsDashAloneGetsAnotherMarkerInOnePicture) {
    StylesApart apart;
    const CurveStyle one = apart.take({2, 1, 3}), other = apart.take({2, 4, 3});
    EXPECT_EQ(one, (CurveStyle{2, 1, 3}));
    EXPECT_EQ(other.color, 2);
    EXPECT_NE(other.marker, one.marker);
    EXPECT_EQ(apart.take({4, 1, 3}), (CurveStyle{4, 1, 3})) << "another colour is another look";
}

TEST(StyleBook, StylesStayWhenRunsAreAdded) {
    StyleBook book;
    std::vector<RunItemPtr> runs{startedAtSecond(makeRun("a", "dasgd", delayedBy(1)), "01"),
                                 startedAtSecond(makeRun("b", "dasgd", delayedBy(2)), "02")};
    book.assign(runs);
    const CurveStyle before = book.styleOf(*runs[1]);
    for (int delay = 3; delay < 20; ++delay) {
        runs.push_back(startedAtSecond(makeRun("c" + std::to_string(delay), "dasgd", delayedBy(delay)),
                                       std::to_string(10 + delay)));
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

TEST(StyleBook, StylesStayWhenAnAlgorithmIsAdded) {
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

RunItemPtr delayedIn(const std::string& experiment, const std::string& second, int delay) {
    storage::RunRow row = namedRun("dasgd", second, "delay = " + std::to_string(delay) + "\n")->row;
    row.experiment = experiment;
    return makeRunItem(row);
}

// The configuration is the first of its algorithm in the second experiment, and the third in the first one.
TEST(StyleBook, AConfigurationHasOneStyleInAllExperiments) {
    std::vector<RunItemPtr> runs;
    for (const int delay : {1, 2, 3}) runs.push_back(delayedIn("sweep", "0" + std::to_string(delay), delay));
    runs.push_back(delayedIn("again", "21", 3));
    runs.push_back(delayedIn("again", "22", 4));
    runs.push_back(delayedIn("again", "23", 1));
    ASSERT_EQ(runs[2]->group, runs[3]->group);
    StyleBook book;
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[0]), styleAlone("dasgd"));
    EXPECT_EQ(book.styleOf(*runs[3]), book.styleOf(*runs[2]));
    EXPECT_EQ(book.styleOf(*runs[5]), book.styleOf(*runs[0]));
    const CurveStyle fresh = book.styleOf(*runs[4]);
    for (const std::size_t kept : {3U, 5U}) {
        const CurveStyle other = book.styleOf(*runs[kept]);
        EXPECT_TRUE(fresh.dash != other.dash && fresh.marker != other.marker) << kept;
    }
    // Runs that come later change no style of those that are there.
    StyleBook before;
    before.assign(std::span(runs).first(3));
    for (const RunItemPtr& run : std::span(runs).first(3)) EXPECT_EQ(before.styleOf(*run), book.styleOf(*run));
}

// Another experiment's configurations take none of its looks: the first of an algorithm has the algorithm's own.
TEST(StyleBook, AnExperimentOfOtherConfigurationsHasTheAlgorithmsOwnStyle) {
    std::vector<RunItemPtr> runs;
    for (const int delay : {1, 2, 3}) runs.push_back(delayedIn("sweep", "0" + std::to_string(delay), delay));
    runs.push_back(delayedIn("other", "21", 7));
    StyleBook book;
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[3]), styleAlone("dasgd"));
}

bool lookAlike(const StyleBook& book, const RunItemPtr& one, const RunItemPtr& other) {
    const CurveStyle a = book.styleOf(*one), b = book.styleOf(*other);
    return a.dash == b.dash || a.marker == b.marker;
}

// Both configurations have the algorithm's own style in their own experiments.
TEST(StyleBook, ConfigurationsThatLookAlikeInTwoExperimentsAreToldApartInAThird) {
    const std::vector<RunItemPtr> runs{delayedIn("a", "01", 1), delayedIn("b", "02", 2), delayedIn("c", "03", 1),
                                       delayedIn("c", "04", 2), delayedIn("c", "05", 3), delayedIn("d", "06", 2)};
    StyleBook book;
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[1]), book.styleOf(*runs[0]));
    EXPECT_EQ(book.styleOf(*runs[2]), book.styleOf(*runs[0]));
    EXPECT_FALSE(lookAlike(book, runs[2], runs[3]));
    EXPECT_FALSE(lookAlike(book, runs[2], runs[4]));
    EXPECT_FALSE(lookAlike(book, runs[3], runs[4]));
    EXPECT_EQ(book.styleOf(*runs[5]), book.styleOf(*runs[1])) << "nobody has it there";
}

TEST(StyleBook, StylesStayWhenAnOlderExperimentGetsTheConfigurationOfANewerOne) {
    std::vector<RunItemPtr> runs{delayedIn("older", "01", 1), delayedIn("newer", "02", 2)};
    StyleBook before, after;
    before.assign(runs);
    runs.push_back(delayedIn("older", "03", 2));
    after.assign(runs);
    for (const RunItemPtr& run : std::span(runs).first(2)) EXPECT_EQ(after.styleOf(*run), before.styleOf(*run));
    EXPECT_FALSE(lookAlike(after, runs[0], runs[2]));
}

// Runs that are added are assigned by themselves only where that gives the same styles.
TEST(StyleBook, RunsThatAreAddedInAnyOrderComeToTheSame) {
    std::vector<RunItemPtr> runs{delayedIn("b", "11", 1), delayedIn("a", "13", 3), delayedIn("b", "14", 3),
                                 delayedIn("a", "12", 2), namedRun("sync_sgd", "10")};
    for (const char* algorithm : {"dasgd", "local_sgd"}) {
        storage::RunRow row = namedRun(algorithm, "20", "period = 8\n")->row;
        row.series = "sweep";
        runs.push_back(makeRunItem(row));
    }
    std::ranges::sort(runs, {}, [](const RunItemPtr& run) { return run->row.runId; });
    do {
        StyleBook once, grown;
        once.assign(runs);
        for (std::size_t count = 1; count <= runs.size(); ++count) grown.assign(std::span(runs).first(count));
        for (const RunItemPtr& run : runs) EXPECT_EQ(grown.styleOf(*run), once.styleOf(*run)) << run->row.runId;
    } while (std::ranges::next_permutation(runs, {}, [](const RunItemPtr& run) { return run->row.runId; }).found);
    StyleBook fewer, never;
    fewer.assign(runs);
    fewer.assign(std::span(runs).subspan(1));
    never.assign(std::span(runs).subspan(1));
    for (const RunItemPtr& run : std::span(runs).subspan(1)) EXPECT_EQ(fewer.styleOf(*run), never.styleOf(*run));
}

TEST(StyleBook, SeedsShareAStyle) {
    StyleBook book;
    const std::vector<RunItemPtr> runs{makeRun("a", "dasgd", delayedBy(3) + "[train]\nseed = 1\n", 1),
                                       makeRun("b", "dasgd", delayedBy(3) + "[train]\nseed = 2\n", 2)};
    book.assign(runs);
    EXPECT_EQ(book.styleOf(*runs[0]), book.styleOf(*runs[1]));
}

// A run of the queue has the time at which it was queued until it starts.
TEST(StyleBook, StylesStayWhileASweepStarts) {
    std::vector<RunItemPtr> runs;
    for (int i = 0; i < 4; ++i) {
        storage::RunRow row = namedRun("dasgd", std::to_string(14 - i), "delay = " + std::to_string(i) + "\n")->row;
        row.series = "one";
        row.seriesPlace = i;
        runs.push_back(makeRunItem(row));
    }
    StyleBook before, after;
    before.assign(runs);
    std::vector<RunItemPtr> started = runs;
    started[0] = startedAtSecond(runs[0], "50");
    after.assign(started);
    EXPECT_EQ(before.styleOf(*runs[0]), styleAlone("dasgd")) << "the first of the sweep";
    for (const RunItemPtr& run : runs) EXPECT_EQ(after.styleOf(*run), before.styleOf(*run)) << run->id.toStdString();
}

}  // namespace
}  // namespace dasgd::gui
