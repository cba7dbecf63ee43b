#include "gui/models/compare/compare_board.h"

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
    EXPECT_EQ(board_.curve(loss_, late)->mean.most(), 2);
    EXPECT_EQ(board_.curve(loss_, late)->mean.mean.x.back(), 200);
    ASSERT_EQ(board_.leftOutInWords().size(), 1);
    EXPECT_TRUE(board_.leftOutInWords()[0].contains(QStringLiteral("seed 3 was stopped at step 60")))
        << board_.leftOutInWords()[0].toStdString();
    board_.setMembers(Members::AsFarAsAll);
    ASSERT_TRUE(eventually([&] { return board_.curve(loss_, late)->mean.most() == 3; }));
    EXPECT_EQ(board_.curve(loss_, late)->mean.mean.x.back(), kStoppedAt);
    EXPECT_EQ(board_.curve(loss_, placeOf("d 1"))->mean.mean.x.back(), 200) << "the others are as long as before";
}

TEST_F(CompareBoardTest, FilterHidingAndBrushesMakeTheSameSet) {
    look();
    EXPECT_EQ(board_.shown().size(), 3U);
    board_.setFilter(QStringLiteral("delay >= 1"));
    EXPECT_EQ(board_.listed().size(), 2U);
    board_.setHidden({board_.listed()[0]}, true);
    EXPECT_EQ(board_.listed().size(), 2U) << "a hidden one keeps its place";
    EXPECT_EQ(board_.shown().size(), 1U);
    board_.setFilter(QStringLiteral("dellay = 1"));
    EXPECT_TRUE(board_.filterError());
    EXPECT_EQ(board_.listed().size(), 2U) << "the filter before stays";
    board_.setFilter({});
    EXPECT_FALSE(board_.filterError());
    board_.setBrushed(std::set<std::string>{board_.groups()[placeOf("sync")].key});
    EXPECT_EQ(board_.shown(), (std::vector<std::size_t>{placeOf("sync")}));
}

TEST_F(CompareBoardTest, TheBaselineCanBeChosen) {
    look();
    EXPECT_EQ(board_.baseline(), placeOf("sync"));
    board_.setBaseline(placeOf("d 1"));
    ASSERT_TRUE(eventually([&] { return board_.baseline() == placeOf("d 1"); }));
    EXPECT_EQ(board_.row(placeOf("d 1"))->stepRatio, 1);
}

TEST_F(CompareBoardTest, RunsOfTheExperimentThatComeLaterAreTaken) {
    look();
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return board_.groups().size() == 4; }));
    ASSERT_TRUE(eventually([&] { return board_.curve(loss_, 3) != nullptr; }));
}

TEST_F(CompareBoardTest, WhatIsNotWatchedCostsNothing) {
    look();
    board_.setWatching(false);
    QSignalSpy spy(&board_, &CompareBoard::groupsChanged);
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 10; }));
    QTest::qWait(600);
    EXPECT_EQ(spy.size(), 0);
    board_.setWatching(true);
    EXPECT_EQ(board_.groups().size(), 4U);
}

}  // namespace
}  // namespace dasgd::gui
