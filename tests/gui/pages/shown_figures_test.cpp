#include "gui/pages/shown_figures.h"

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

TEST_F(ShownFigures, OfATimelineItHasWhatIsMarkedElseWhatIsSeen) {
    session_.selection().setWindow({1'000'000'000, 3'000'000'000});
    auto spec = figureOfTimeline(session_);
    ASSERT_TRUE(spec && spec->windowS);
    EXPECT_EQ(spec->windowS->low, 1);
    EXPECT_EQ(spec->windowS->high, 3);
    EXPECT_TRUE(spec->hiddenKinds.isEmpty());
    session_.selection().mark(TimeRange{1'500'000'000, 2'000'000'000});
    session_.timelineRows().setShown(SpanKind::Forward, false);
    spec = figureOfTimeline(session_);
    ASSERT_TRUE(spec && spec->windowS);
    EXPECT_EQ(spec->windowS->low, 1.5);
    EXPECT_EQ(spec->windowS->high, 2);
    EXPECT_EQ(spec->hiddenKinds, QStringList{QStringLiteral("forward")});
    EXPECT_EQ(spec->runs, QStringList{session_.currentId()});
}

}  // namespace
}  // namespace dasgd::gui
