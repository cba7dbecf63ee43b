#include "gui/experiment/model/forecast/forecast_board.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/forecasts.h"

namespace dasgd::gui {
namespace {

using namespace forecast_test;

TEST(ForecastBoard, ShowsTheWorstUntilSomebodyChooses) {
    ForecastBoard board;
    EXPECT_EQ(board.current(), nullptr);
    board.setForecast(forecastOf({caseOf(5, "d = 5"), caseOf(1, "d = 1"), caseOf(3, "d = 3")}, 1));
    ASSERT_NE(board.current(), nullptr);
    EXPECT_EQ(board.current()->label, "d = 1");
    QSignalSpy changed(&board, &ForecastBoard::changed);
    board.choose(2);
    EXPECT_EQ(changed.size(), 1);
    board.setForecast(forecastOf({caseOf(3, "d = 3"), caseOf(1, "d = 1")}, 1));
    EXPECT_EQ(board.current()->label, "d = 3") << "what was chosen stays chosen";
    board.choose(7);
    EXPECT_EQ(board.chosen(), 0U);
    board.clear();
    EXPECT_EQ(board.current(), nullptr);
}

TEST(ForecastBoard, ACaseThatIsNoneIsNotShown) {
    ForecastBoard board;
    for (const std::int64_t first : {-1, 7}) {
        board.setForecast(forecastOf({caseOf(3)}, first));
        ASSERT_NE(board.current(), nullptr);
        EXPECT_EQ(board.current()->label, "dasgd");
    }
}

}  // namespace
}  // namespace dasgd::gui
