#include "gui/experiment/model/forecast/forecast_board.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/experiment/model/forecast/planned_runs.h"

namespace dasgd::gui {
namespace {

using namespace forecast_test;

TEST(ForecastBoard, ShowsTheWorstUntilSomebodyChooses) {
    ForecastBoard board;
    board.setAlgorithms(algorithmSchema());
    const std::vector<RunItemPtr> runs{runOf("r1", config(3))};
    board.setRuns(runs);
    EXPECT_EQ(board.current(), nullptr);
    board.setPlan({plan(config(5)), plan(config(1)), plan(config(3))});
    ASSERT_NE(board.current(), nullptr);
    EXPECT_EQ(board.current()->label, QStringLiteral("d = 1"));
    QSignalSpy changed(&board, &ForecastBoard::changed);
    board.choose(2);
    EXPECT_EQ(changed.size(), 1);
    board.setPlan({plan(config(3)), plan(config(1))});
    EXPECT_EQ(board.current()->label, QStringLiteral("d = 3")) << "what was chosen stays chosen";
    board.choose(7);
    EXPECT_EQ(board.chosen(), 0U);
    board.clear();
    EXPECT_EQ(board.current(), nullptr);
}

TEST(ForecastBoard, NewMeasurementsChangeTheForecastAtOnce) {
    ForecastBoard board;
    board.setAlgorithms(algorithmSchema());
    board.setPlan({plan(config(3))});
    EXPECT_FALSE(board.current()->known());
    const std::vector<RunItemPtr> runs{runOf("r1", config(3))};
    board.setRuns(runs);
    ASSERT_TRUE(board.current()->known());
    EXPECT_EQ(board.current()->step.run, QStringLiteral("r1"));
    board.setCalibrations({calibration(QStringLiteral("c"), 1)});
    EXPECT_EQ(board.current()->step.run, QStringLiteral("run-c"));
}

}  // namespace
}  // namespace dasgd::gui
