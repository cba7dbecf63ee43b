#include "gui/scaling/model/scaling_board.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class ScalingBoardTest : public ScalingBench {};

TEST_F(ScalingBoardTest, ReadsTheLinesOfTheNewestExperiment) {
    look();
    ASSERT_EQ(board_.lines().size(), 2U);
    for (const DrawnLine& line : board_.drawn()) {
        ASSERT_EQ(line.points.size(), 3U);
        EXPECT_EQ(line.points[2].workers, 4);
        EXPECT_EQ(line.points[2].stepMs.n, 2U);
        EXPECT_DOUBLE_EQ(line.points[2].stepMs.mean, 14.3);
    }
    EXPECT_EQ(board_.runIds().size(), 12);
}

TEST_F(ScalingBoardTest, CostsNothingWhileNobodyLooks) {
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 12; }));
    QTest::qWait(300);
    EXPECT_TRUE(board_.lines().empty());
}

TEST_F(ScalingBoardTest, ARunThatEndsBecomesAPoint) {
    look();
    test::recordScaling(workspace_.store(), {.workers = 8, .stepMs = 20});
    ASSERT_TRUE(eventually([&] {
        return std::any_of(board_.drawn().begin(), board_.drawn().end(),
                           [](const DrawnLine& line) { return line.points.size() == 4; });
    }));
}

TEST_F(ScalingBoardTest, ChoosingIsKeptWhenRunsCome) {
    look();
    const std::string off = board_.lines()[0].key, on = board_.lines()[1].key;
    board_.choose({off}, false);
    EXPECT_FALSE(board_.isChosen(off));
    ASSERT_EQ(board_.drawn().size(), 1U);
    EXPECT_EQ(board_.drawnOf(off), nullptr);
    EXPECT_NE(board_.drawnOf(on), nullptr);
    QSignalSpy gathered(&board_, &ScalingBoard::linesChanged);
    for (const int workers : {1, 2}) {
        test::recordScaling(workspace_.store(), {.experiment = "newer", .algorithm = "easgd", .workers = workers});
    }
    ASSERT_TRUE(eventually([&] { return gathered.count() > 0 && board_.lines().size() == 3; }));
    ASSERT_EQ(board_.drawn().size(), 1U);
    EXPECT_EQ(board_.drawn()[0].line->key, on);
}

TEST_F(ScalingBoardTest, ATargetIsTimed) {
    look();
    board_.setTarget(Target{Target::Metric::Accuracy, 0.9});
    for (const DrawnLine& line : board_.drawn()) EXPECT_DOUBLE_EQ(line.points[0].secondsToTarget.mean, 300 * 0.0113);
    board_.setTarget(Target{Target::Metric::Accuracy, 0.99});
    EXPECT_EQ(board_.drawn()[0].points[0].secondsToTarget.n, 0U);
}

TEST_F(ScalingBoardTest, StrongScalingHasOtherLines) {
    test::recordScaling(workspace_.store(), {.workers = 8, .batch = 4});
    look();
    board_.setScaling(Scaling::Strong);
    const auto scaling = [&] {
        return std::ranges::count_if(board_.lines(), [](const ScalingLine& line) { return line.scales(); });
    };
    ASSERT_TRUE(eventually([&] { return scaling() == 1; }));
    const auto& lines = board_.lines();
    EXPECT_EQ(lines.front().workers, (std::vector{1, 8})) << "32 samples in all: one worker, or eight with 4 each";
    ASSERT_TRUE(eventually([&] { return board_.missing() == 0; }));
    ASSERT_EQ(board_.drawn().size(), 1U);
    EXPECT_EQ(board_.drawn()[0].points.size(), 2U);
}

}  // namespace
}  // namespace dasgd::gui
