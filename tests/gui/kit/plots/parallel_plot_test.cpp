#include "gui/kit/plots/parallel_plot.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

ParallelPlot plotOfTwoLines() {
    ParallelPlot plot;
    plot.axes = {{.title = QStringLiteral("algorithm"),
                  .kind = ParallelAxis::Kind::Category,
                  .categories = {QStringLiteral("dasgd"), QStringLiteral("sync_sgd")}},
                 {.title = QStringLiteral("d"), .low = 1, .high = 3},
                 {.title = QStringLiteral("loss"), .kind = ParallelAxis::Kind::Log, .low = 0.01, .high = 1}};
    plot.lines = {{.name = QStringLiteral("a"), .style = {0, 0, 0}, .values = {0, 3, 0.1}},
                  {.name = QStringLiteral("b"), .style = {1, 1, 1}, .values = {1, std::nullopt, 1}}};
    plot.brushes.assign(3, std::nullopt);
    return plot;
}

TEST(ParallelPlot, AValueComesBackFromItsHeight) {
    const ParallelPlot plot = plotOfTwoLines();
    const PlotStyle style = screenPlotStyle(testLook().theme());
    const QRectF area(0, 0, 500, 240);
    const ParallelScale scale(area, plot, style);
    EXPECT_LT(scale.x(0), scale.x(1));
    for (const auto& [axis, value] : {std::pair<std::size_t, double>{0, 1}, {1, 1.5}, {2, 0.1}}) {
        const double y = scale.y(plot.axes[axis], value);
        EXPECT_NEAR(scale.valueAt(plot.axes[axis], y), value, 1e-9);
    }
    const double middle = scale.y(plot.axes[2], 0.1);
    EXPECT_NEAR(middle, (scale.y(plot.axes[2], 0.01) + scale.y(plot.axes[2], 1)) / 2, 1e-6) << "logarithmic";
    EXPECT_GT(scale.y(plot.axes[1], std::nullopt), scale.y(plot.axes[1], 1)) << "below the axis";
}

TEST(ParallelPlot, LongTitlesHaveTwoRows) {
    ParallelPlot plot = plotOfTwoLines();
    const PlotStyle style = screenPlotStyle(testLook().theme());
    const QRectF area(0, 0, 300, 200);
    const ParallelScale inOne(area, plot, style);
    EXPECT_EQ(inOne.titleRows(), 1);
    plot.axes.back().title = QStringLiteral("the bandwidth of the link between any two of the ranks, as it was set");
    const ParallelScale inTwo(area, plot, style);
    EXPECT_EQ(inTwo.titleRows(), 2);
    EXPECT_GT(inTwo.top(), inOne.top()) << "the axes begin below both";
}

TEST(ParallelPlot, ABrushLetsThroughWhatItHoldsAndNothingThatLacksTheAxis) {
    ParallelPlot plot = plotOfTwoLines();
    EXPECT_TRUE(plot.passes(plot.lines[1]));
    plot.brushes[1] = std::pair(0.0, 9.0);
    EXPECT_TRUE(plot.passes(plot.lines[0]));
    EXPECT_FALSE(plot.passes(plot.lines[1]));
    plot.brushes[2] = std::pair(0.2, 1.0);
    EXPECT_FALSE(plot.passes(plot.lines[0]));
}

TEST(ParallelView, ADragBrushesAndAClickClears) {
    ParallelView view(testLook());
    view.resize(500, 240);
    view.setPlot(plotOfTwoLines());
    view.show();
    const PlotStyle style = screenPlotStyle(testLook().theme());
    const QRectF area = QRectF(view.rect()).adjusted(2, 2, -2, -2);
    QSignalSpy spy(&view, &ParallelView::brushed);
    const int x = static_cast<int>(ParallelScale(area, view.plot(), style).x(1));
    const QPoint from(x, static_cast<int>(ParallelScale(area, view.plot(), style).y(view.plot().axes[1], 2.5)));
    const QPoint to(x, static_cast<int>(ParallelScale(area, view.plot(), style).y(view.plot().axes[1], 3)));
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&view, to);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, to);
    ASSERT_EQ(spy.size(), 1);
    ASSERT_TRUE(view.plot().brushes[1]);
    EXPECT_NEAR(view.plot().brushes[1]->first, 2.5, 0.05);
    ParallelPlot other = plotOfTwoLines();
    other.axes.pop_back();
    for (ParallelLine& line : other.lines) line.values.pop_back();
    view.setPlot(other);
    EXPECT_TRUE(view.plot().brushes[1]) << "the axis is still there";
    const int moved = static_cast<int>(ParallelScale(area, view.plot(), style).x(1));
    QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(moved, from.y()));
    EXPECT_FALSE(view.plot().brushes[1]);
}

TEST(ParallelView, ADragEndsWhereItsAxisGoes) {
    ParallelView view(testLook());
    view.resize(500, 240);
    view.setPlot(plotOfTwoLines());
    view.show();
    const PlotStyle style = screenPlotStyle(testLook().theme());
    const QRectF area = QRectF(view.rect()).adjusted(2, 2, -2, -2);
    const int x = static_cast<int>(ParallelScale(area, view.plot(), style).x(2));
    QTest::mousePress(&view, Qt::LeftButton, {}, {x, 60});
    QSignalSpy spy(&view, &ParallelView::brushed);
    view.setPlot({});
    QTest::mouseMove(&view, {x, 120});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {x, 120});
    EXPECT_EQ(spy.size(), 0);
    view.setPlot(plotOfTwoLines());
    QTest::mouseMove(&view, {x, 90});
    for (const ParallelBrush& brush : view.plot().brushes) EXPECT_FALSE(brush);
}

TEST(ParallelView, ABrushHoldsItsCategoriesWhereverTheyAre) {
    ParallelView view(testLook());
    ParallelPlot plot = plotOfTwoLines();
    plot.axes[0].key = "algorithm.name";
    view.resize(500, 240);
    view.setPlot(plot);
    view.show();
    QTest::keyClick(&view, Qt::Key_Up);
    ASSERT_TRUE(view.plot().passes(view.plot().lines[1])) << "sync_sgd";
    ASSERT_FALSE(view.plot().passes(view.plot().lines[0]));
    plot.axes[0].categories.prepend(QStringLiteral("adaptive"));
    for (ParallelLine& line : plot.lines) *line.values[0] += 1;
    view.setPlot(plot);
    EXPECT_TRUE(view.plot().passes(view.plot().lines[1]));
    EXPECT_FALSE(view.plot().passes(view.plot().lines[0]));
    plot.axes[0].key = "another of the same title";
    view.setPlot(plot);
    EXPECT_FALSE(view.plot().brushes[0]);
}

TEST(ParallelView, KeysBrushToo) {
    ParallelView view(testLook());
    view.resize(500, 240);
    view.setPlot(plotOfTwoLines());
    view.show();
    QTest::keyClick(&view, Qt::Key_Up);
    ASSERT_TRUE(view.plot().brushes[0]);
    EXPECT_FALSE(view.plot().passes(view.plot().lines[0]));
    EXPECT_TRUE(view.plot().passes(view.plot().lines[1]));
    QTest::keyClick(&view, Qt::Key_Escape);
    EXPECT_FALSE(view.plot().brushes[0]);
}

TEST(ParallelPlot, TheWordsOfTheFirstAxisStandWhereNoLineIs) {
    ParallelPlot plot = plotOfTwoLines();
    plot.axes[0].categories = {QStringLiteral("independent"), QStringLiteral("overlap_local_sgd")};
    const PlotStyle style = screenPlotStyle(testLook().theme());
    const QRectF area(0, 0, 500, 240);
    EXPECT_GT(ParallelScale(area, plot, style).x(0),
              QFontMetricsF(style.font).horizontalAdvance(QStringLiteral("overlap_local_sgd")));
    plot.axes[0].categories[0] = QString(200, u'w');
    const ParallelScale scale(area, plot, style);
    EXPECT_LT(scale.x(0), 0.3 * area.width()) << "the lines keep their room";
    EXPECT_LT(scale.x(2), area.right());
    // A line has a point on each axis, and there may be thousands of lines and words.
    plot.axes[0].categories.clear();
    EXPECT_LT(ParallelScale(area, plot, style).x(0), scale.x(0)) << "the words are measured when the scale is made";
}

}  // namespace
}  // namespace dasgd::gui
