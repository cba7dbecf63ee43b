#include "gui/run/shown_figures.h"

#include <gtest/gtest.h>

#include "tests/gui/support/chart_bench.h"

namespace dasgd::gui {
namespace {

using ShownFigures = ChartBench;

TEST_F(ShownFigures, OfAChartItHasItsRunsAxesAndSmoothing) {
    card_->axis().choose(3);
    card_->scale().choose(1);
    card_->smoothing().choose(2);
    const auto spec = figureOfChart(*card_, session_);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->kind, FigureKind::Curves);
    EXPECT_EQ(spec->metric, QStringLiteral("train/loss"));
    EXPECT_EQ(spec->x, static_cast<XAxis>(3));
    EXPECT_EQ(spec->logY, true);
    EXPECT_EQ(spec->smoothing, card_->smoothingWeight());
    EXPECT_GT(spec->smoothing, 0);
    EXPECT_EQ(spec->lines, FigureLines::Seeds);
    EXPECT_EQ(spec->members, FigureMembers::AsFarAsAll) << "runs are drawn whatever became of them";
    EXPECT_FALSE(spec->xRange) << "nothing is zoomed to";
}

}  // namespace
}  // namespace dasgd::gui
