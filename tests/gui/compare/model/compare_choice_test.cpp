#include "gui/compare/model/compare_choice.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareChoiceTest = CompareBench;

TEST_F(CompareChoiceTest, FilterHidingAndBrushesMakeTheSameSet) {
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

TEST_F(CompareChoiceTest, TheSameRunsOnceMoreAreAllShown) {
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

TEST_F(CompareChoiceTest, AProbeIsNoConfigurationOfTheNewestExperiment) {
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

TEST_F(CompareChoiceTest, AnAdviceOrATraceIsNotTheNewestExperiment) {
    look();
    workspace_.record({.experiment = "delay-sweep (advice)", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 10; }));
    board_.choice.takeNewestExperiment();
    EXPECT_EQ(board_.choice.title(), QStringLiteral("delay-sweep"));
    EXPECT_EQ(board_.choice.groups().size(), 3U);
}

TEST_F(CompareChoiceTest, WhatIsNotWatchedCostsNothing) {
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
