#include "gui/compare/model/compare_board.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareBoardTest = CompareBench;

TEST_F(CompareBoardTest, AStoppedSeedIsInNoMeanUntilAllAreTakenAsFarAsAllGo) {
    look();
    const std::size_t late = placeOf("d 3");
    ASSERT_LT(late, 3U);
    EXPECT_EQ(board_.curves.curve(loss_, late)->mean.most(), 2);
    EXPECT_EQ(board_.curves.curve(loss_, late)->mean.mean.x.back(), 200);
    ASSERT_EQ(board_.results.leftOutInWords().size(), 1);
    EXPECT_TRUE(board_.results.leftOutInWords()[0].contains(QStringLiteral("seed 3 was stopped at step 60")))
        << board_.results.leftOutInWords()[0].toStdString();
    board_.curves.setMembers(Members::AsFarAsAll);
    ASSERT_TRUE(eventually([&] { return board_.curves.curve(loss_, late)->mean.most() == 3; }));
    EXPECT_EQ(board_.curves.curve(loss_, late)->mean.mean.x.back(), kStoppedAt);
    EXPECT_EQ(board_.curves.curve(loss_, placeOf("d 1"))->mean.mean.x.back(), 200)
        << "the others are as long as before";
}

TEST_F(CompareBoardTest, FilterHidingAndBrushesMakeTheSameSet) {
    look();
    EXPECT_EQ(board_.choice.shown().size(), 3U);
    board_.choice.setFilter(QStringLiteral("delay >= 1"));
    EXPECT_EQ(board_.choice.listed().size(), 2U);
    board_.choice.setHidden({board_.choice.listed()[0]}, true);
    EXPECT_EQ(board_.choice.listed().size(), 2U) << "a hidden one keeps its place";
    EXPECT_EQ(board_.choice.shown().size(), 1U);
    board_.choice.setFilter(QStringLiteral("dellay = 1"));
    EXPECT_TRUE(board_.choice.filterError());
    EXPECT_EQ(board_.choice.listed().size(), 2U) << "the filter before stays";
    board_.choice.setFilter({});
    EXPECT_FALSE(board_.choice.filterError());
    board_.choice.setBrushed(std::set<std::string>{board_.choice.groups()[placeOf("sync")].key});
    EXPECT_EQ(board_.choice.shown(), (std::vector<std::size_t>{placeOf("sync")}));
}

TEST_F(CompareBoardTest, TheBaselineCanBeChosen) {
    look();
    EXPECT_EQ(board_.results.baseline(), placeOf("sync"));
    board_.choice.setBaseline(placeOf("d 1"));
    ASSERT_TRUE(eventually([&] { return board_.results.baseline() == placeOf("d 1"); }));
    EXPECT_EQ(board_.results.row(placeOf("d 1"))->stepRatio.mean, 1);
}

// Forming the request takes longer than a picture may where there are many configurations.
TEST_F(CompareBoardTest, WhatTheComparisonHasToBeReadWithIsFormedOnceForWhatIsShown) {
    const QString two = workspace_.record({.experiment = "wide", .ranks = 2, .steps = 20});
    const QString three = workspace_.record({.experiment = "wide", .ranks = 3, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 11; }));
    board_.curves.want(this, loss_);
    board_.choice.setWatching(true);
    board_.choice.setRuns({two, three});
    ASSERT_EQ(board_.choice.groups().size(), 2U);
    EXPECT_EQ(board_.results.cautionsInWords(), QString()) << "nothing is read";
    // The list may have them before it knows that they have finished.
    ASSERT_TRUE(eventually(
        [&] { return board_.results.cautionsInWords().startsWith(QStringLiteral("set-ups differ: workers ")); }));
    const QString formed = board_.results.cautionsInWords();
    board_.curves.setCursor(10, loss_);
    EXPECT_EQ(board_.results.cautionsInWords().constData(), formed.constData()) << "the same text, not one like it";
    board_.choice.setHidden({1}, true);
    EXPECT_EQ(board_.results.cautionsInWords(), QString()) << "there is no other";
    board_.choice.setHidden({1}, false);
    EXPECT_EQ(board_.results.cautionsInWords(), formed);
}

TEST_F(CompareBoardTest, NoRowIsEverOfAnotherConfiguration) {
    look();
    bool isRight = true;
    int rows = 0;
    const auto check = [&] {
        for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
            const ComparedGroup* row = board_.results.row(i);
            if (!row) continue;
            ++rows;
            isRight = isRight && row->algorithm == board_.choice.groups()[i].runs.front()->row.algorithm;
        }
    };
    QObject::connect(&board_.choice, &CompareChoice::groupsChanged, &board_.choice, check);
    QObject::connect(&board_.results, &CompareResults::comparedChanged, &board_.choice, check);
    QStringList first, second;
    for (const CompareGroup& group : board_.choice.groups()) {
        for (const RunItemPtr& run : group.runs) {
            if (run->row.algorithm == "sync_sgd") first << run->id;
            second << run->id;
        }
    }
    // The answer to the first is on its way when the second is asked.
    for (int turn = 0; turn < 20; ++turn) {
        board_.choice.setRuns(turn % 2 == 0 ? first : second);
        QTest::qWait(turn % 5);
    }
    ASSERT_TRUE(eventually([&] { return board_.results.row(2) != nullptr; }));
    EXPECT_EQ(board_.choice.groups().size(), 3U);
    EXPECT_TRUE(isRight);
    EXPECT_GT(rows, 0);
}

TEST_F(CompareBoardTest, TheSameRunsOnceMoreAreAllShown) {
    look();
    QStringList ids;
    for (const CompareGroup& group : board_.choice.groups()) {
        for (const RunItemPtr& run : group.runs) ids << run->id;
    }
    board_.choice.setHidden({0}, true);
    ASSERT_EQ(board_.choice.shown().size(), 2U);
    QSignalSpy spy(&board_.choice, &CompareChoice::shownChanged);
    board_.choice.setRuns(ids);
    EXPECT_FALSE(board_.choice.isHidden(0));
    EXPECT_EQ(board_.choice.shown().size(), 3U);
    EXPECT_GT(spy.size(), 0);
    ASSERT_TRUE(eventually([&] { return board_.results.row(2) != nullptr; }));
}

TEST_F(CompareBoardTest, WhatWasChosenStaysWhereRunsAreAdded) {
    look();
    const std::string chosen = board_.choice.groups()[placeOf("d 1")].key;
    board_.choice.setBaseline(placeOf("d 1"));
    board_.choice.highlight(placeOf("d 1"));
    ASSERT_TRUE(eventually([&] { return board_.results.baseline() == placeOf("d 1"); }));
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    ASSERT_TRUE(eventually([&] { return board_.choice.groups().size() == 4; }));
    EXPECT_TRUE(board_.results.row(placeOf("d 1"))) << "the rows before stand until the next are formed";
    ASSERT_TRUE(board_.choice.highlighted());
    EXPECT_EQ(board_.choice.groups()[*board_.choice.highlighted()].key, chosen);
    ASSERT_TRUE(eventually([&] { return board_.results.row(3) != nullptr; }));
    ASSERT_TRUE(board_.results.baseline());
    EXPECT_EQ(board_.choice.groups()[*board_.results.baseline()].key, chosen);
}

TEST_F(CompareBoardTest, RunsOfTheExperimentThatComeLaterAreTaken) {
    look();
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return board_.choice.groups().size() == 4; }));
    ASSERT_TRUE(eventually([&] { return board_.curves.curve(loss_, 3) != nullptr; }));
}

TEST_F(CompareBoardTest, AProbeIsNoConfigurationOfTheNewestExperiment) {
    look();
    EXPECT_EQ(board_.choice.origin(), QStringLiteral("experiment = \"delay-sweep\""));
    workspace_.record({.algorithm = "probe", .ranks = 2, .steps = 20});
    workspace_.record({.experiment = "delay-sweep (probe)", .algorithm = "probe", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 11; }));
    board_.choice.takeNewestExperiment();
    EXPECT_EQ(board_.choice.title(), QStringLiteral("delay-sweep"));
    EXPECT_EQ(board_.choice.groups().size(), 3U);
    EXPECT_EQ(board_.choice.origin(), QStringLiteral("experiment = \"delay-sweep\" and algorithm != probe"))
        << "a figure of them leaves it out too";
}

TEST_F(CompareBoardTest, AnAdviceOrATraceIsNotTheNewestExperiment) {
    look();
    workspace_.record({.experiment = "delay-sweep (advice)", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 10; }));
    board_.choice.takeNewestExperiment();
    EXPECT_EQ(board_.choice.title(), QStringLiteral("delay-sweep"));
    EXPECT_EQ(board_.choice.groups().size(), 3U);
}

TEST_F(CompareBoardTest, WhatIsNotWatchedCostsNothing) {
    look();
    board_.choice.setWatching(false);
    QSignalSpy spy(&board_.choice, &CompareChoice::groupsChanged);
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 10; }));
    QTest::qWait(600);
    EXPECT_EQ(spy.size(), 0);
    board_.choice.setWatching(true);
    EXPECT_EQ(board_.choice.groups().size(), 4U);
}

}  // namespace
}  // namespace dasgd::gui
