#include "gui/kit/plots/plot_canvas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class PlotCanvasTest : public ::testing::Test {
protected:
    PlotCanvasTest() { canvas_.style(screenPlotStyle(testLook().theme())); }
    QWidget parent_;
    PlotCanvas canvas_{&parent_};
};

Curve curveOf(std::vector<double> y) {
    Curve curve{.name = QStringLiteral("c")};
    for (std::size_t i = 0; i < y.size(); ++i) curve.line.x.push_back(static_cast<double>(i + 1));
    curve.line.y = std::move(y);
    return curve;
}

TEST_F(PlotCanvasTest, RangesCoverTheCurveAndIgnoreWhatHasNoPlace) {
    canvas_.axes({.logY = true});
    canvas_.curves(
        {curveOf({10, 0, std::numeric_limits<double>::quiet_NaN(), -3, 0.1, std::numeric_limits<double>::infinity()})});
    const QCPRange y = canvas_.plot().yAxis->range();
    EXPECT_LT(y.lower, 0.1);
    EXPECT_GT(y.lower, 0.01) << "zero and below have no place on a logarithmic axis";
    EXPECT_GT(y.upper, 10);
    EXPECT_TRUE(std::isfinite(y.upper));
    EXPECT_EQ(canvas_.plot().xAxis->range().upper, 6);
}

TEST_F(PlotCanvasTest, AnEmptyOrSinglePointPlotHasARange) {
    canvas_.axes({});
    canvas_.curves({});
    EXPECT_GT(canvas_.plot().xAxis->range().size(), 0);
    canvas_.curves({curveOf({5})});
    EXPECT_LT(canvas_.plot().yAxis->range().lower, 4.8) << "the point is no speck on the edge";
    EXPECT_GT(canvas_.plot().yAxis->range().upper, 5.2);
    canvas_.axes({.fromZero = true});
    canvas_.curves({curveOf({5, 6})});
    EXPECT_EQ(canvas_.plot().yAxis->range().lower, 0);
}

TEST_F(PlotCanvasTest, TheLegendHasEveryCurveOnceInItsOrder) {
    canvas_.axes({});
    Curve first = curveOf({1, 2}), second = curveOf({2, 3});
    first.name = QStringLiteral("first");
    first.primary = true;
    first.raw = first.line;
    second.name = QStringLiteral("second");
    second.deviation = {0.1, 0.1};
    canvas_.curves({first, second});
    ASSERT_EQ(canvas_.plot().legend->itemCount(), 2);
    auto* item = qobject_cast<QCPPlottableLegendItem*>(canvas_.plot().legend->item(0));
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(item->plottable()->name(), QStringLiteral("first"));
}

TEST_F(PlotCanvasTest, ABandIsInsideThePicture) {
    Curve mean = curveOf({10, 11, 10});
    mean.deviation = {4, 5, 4};
    canvas_.axes({.fromZero = true});
    canvas_.curves({mean});
    EXPECT_GE(canvas_.plot().yAxis->range().upper, 16);
    mean.deviation = {9.9999, 12, 4};
    canvas_.axes({.logY = true});
    canvas_.curves({mean});
    EXPECT_GE(canvas_.plot().yAxis->range().upper, 23);
    EXPECT_LE(canvas_.plot().yAxis->range().lower, 1);
    EXPECT_GT(canvas_.plot().yAxis->range().lower, 0.5) << "a band that nearly reaches zero has no say";
}

TEST_F(PlotCanvasTest, PointsHaveTheirBarsAndRoom) {
    canvas_.axes({.logY = true, .log2X = true});
    Curve points = curveOf({10, 20});
    points.kind = Curve::Kind::Points;
    points.deviation = {0, 8};
    canvas_.curves({points});
    EXPECT_GT(canvas_.plot().yAxis->range().upper, 28) << "the bar of the last point is inside";
    EXPECT_LT(canvas_.plot().xAxis->range().lower, 1);
    EXPECT_GT(canvas_.plot().xAxis->range().upper, 2);
    int bars = 0;
    for (int i = 0; i < canvas_.plot().plottableCount(); ++i) {
        bars += qobject_cast<QCPErrorBars*>(canvas_.plot().plottable(i)) ? 1 : 0;
    }
    EXPECT_EQ(bars, 1);
    canvas_.curves({});
    EXPECT_EQ(canvas_.plot().plottableCount(), 0);
    EXPECT_GT(canvas_.plot().xAxis->range().lower, 0) << "a logarithmic axis without a point";
}

TEST_F(PlotCanvasTest, ALonePointHasTicks) {
    canvas_.axes({.logY = true, .log2X = true});
    for (const double value : {7659.0, 1.0, 0.0123}) {
        canvas_.curves({curveOf({value})});
        canvas_.draw(true);
        EXPECT_FALSE(canvas_.plot().yAxis->tickVectorLabels().isEmpty()) << value;
    }
}

TEST_F(PlotCanvasTest, GuidesAreNamedOnce) {
    canvas_.axes({.log2X = true});
    Curve line = curveOf({1, 2}), guide = curveOf({1, 3});
    line.kind = Curve::Kind::Points;
    guide.kind = Curve::Kind::Guide;
    canvas_.curves({line, guide, guide});
    EXPECT_EQ(canvas_.plot().legend->itemCount(), 2);
}

// The inked pixels in the half of a marker at (x, y) that lies left (-1) or right (1) of x, in a style of this ground.
int inkBeside(const QImage& image, const QColor& ground, int x, int y, int side) {
    int inked = 0;
    for (int beside = x + 2 * side; beside != x + 4 * side; beside += side) {
        for (int at = y - 2; at <= y + 2; ++at) inked += image.pixelColor(beside, at) == ground ? 0 : 1;
    }
    return inked;
}

// The first value of a curve and its last one are those that are read: half of their markers lies beyond the axes.
TEST_F(PlotCanvasTest, AMarkerAtEitherEndOfTheAxisIsWhole) {
    for (const PlotStyle& style : {screenPlotStyle(testLook().theme()), paperPlotStyle()}) {
        canvas_.style(style);
        canvas_.axes({});
        canvas_.curves({curveOf({5, 5, 5})});
        // The axis line of a figure on paper is ink as well.
        canvas_.plot().yAxis->setBasePen(Qt::NoPen);
        canvas_.plot().yAxis->setTickPen(Qt::NoPen);
        constexpr int kScale = 4;
        canvas_.plot().setViewport(QRect(0, 0, 400, 240));
        const QImage image = canvas_.plot().toPixmap(400, 240, kScale).toImage();
        const QRect area = canvas_.plot().axisRect()->rect();
        const int middle = static_cast<int>(kScale * canvas_.plot().yAxis->coordToPixel(5));
        EXPECT_GE(inkBeside(image, style.ground, kScale * (area.right() + 1), middle, 1), 8);
        EXPECT_GE(inkBeside(image, style.ground, kScale * area.left(), middle, -1), 8);
    }
}

TEST_F(PlotCanvasTest, ALinesOnlyPointAtTheEndOfTheAxisIsWhole) {
    const PlotStyle style = screenPlotStyle(testLook().theme());
    canvas_.axes({});
    Curve late = curveOf({5});
    late.line.x = {3};
    canvas_.curves({curveOf({1, 2, 3}), late});
    canvas_.plot().setViewport(QRect(0, 0, 400, 240));
    const QImage image = canvas_.plot().toPixmap(400, 240).toImage();
    const int middle = static_cast<int>(canvas_.plot().yAxis->coordToPixel(5));
    EXPECT_GE(inkBeside(image, style.ground, canvas_.plot().axisRect()->right(), middle, 1), 4);
}

TEST_F(PlotCanvasTest, CurvesOfDifferentStyleDifferInDashToo) {
    canvas_.axes({});
    Curve solid = curveOf({1, 2}), dashed = curveOf({2, 3});
    dashed.style = {1, 1, 1};
    canvas_.curves({solid, dashed});
    QList<Qt::PenStyle> styles;
    for (int i = 0; i < canvas_.plot().graphCount(); ++i) {
        if (canvas_.plot().graph(i)->lineStyle() != QCPGraph::lsNone) styles << canvas_.plot().graph(i)->pen().style();
    }
    EXPECT_EQ(styles, (QList<Qt::PenStyle>{Qt::SolidLine, Qt::CustomDashLine}));
}

TEST_F(PlotCanvasTest, GuidesOfOneNameAreNamedOnceAndOthersApart) {
    const auto guide = [](const char* name, int color) {
        Curve curve = curveOf({1, 2, 3});
        curve.name = QLatin1String(name);
        curve.style.color = color;
        curve.kind = Curve::Kind::Guide;
        return curve;
    };
    canvas_.axes({});
    canvas_.curves({guide("ideal", 0), guide("ideal", 0)});
    EXPECT_EQ(canvas_.plot().legend->itemCount(), 1);
    EXPECT_EQ(canvas_.plot().graph(0)->pen().color(), canvas_.plot().graph(1)->pen().color());
    canvas_.curves({guide("all-reduce", 1), guide("all-gather", 2)});
    EXPECT_EQ(canvas_.plot().legend->itemCount(), 2);
    EXPECT_NE(canvas_.plot().graph(0)->pen().color(), canvas_.plot().graph(1)->pen().color());
}

int barsOf(QCustomPlot& plot) {
    int bars = 0;
    for (int i = 0; i < plot.plottableCount(); ++i) bars += qobject_cast<QCPErrorBars*>(plot.plottable(i)) ? 1 : 0;
    return bars;
}

// A band between one point and none has no area: its interval would be in the legend's words alone.
TEST_F(PlotCanvasTest, AMeanOfOnePointHasAWhiskerWithinThePicture) {
    canvas_.axes({});
    Curve alone = curveOf({10});
    alone.deviation = {4};
    canvas_.curves({alone});
    EXPECT_EQ(barsOf(canvas_.plot()), 1);
    EXPECT_GE(canvas_.plot().yAxis->range().upper, 14);
    EXPECT_LE(canvas_.plot().yAxis->range().lower, 6);
    Curve line = curveOf({10, 11});
    line.deviation = {4, 4};
    canvas_.curves({line});
    EXPECT_EQ(barsOf(canvas_.plot()), 0) << "a curve keeps its band";
    canvas_.curves({line, alone});
    EXPECT_LT(canvas_.plot().xAxis->range().lower, 1) << "the caps at the end of the axis are whole";
    alone.deviation = {std::nan("")};
    canvas_.curves({alone});
    EXPECT_EQ(barsOf(canvas_.plot()), 0) << "n = 1 has no interval";
}

TEST_F(PlotCanvasTest, AWhiskerOfAShareEndsWhereTheShareDoes) {
    canvas_.axes({.share = true});
    Curve alone = curveOf({40});
    alone.deviation = {80};
    canvas_.curves({alone});
    for (int i = 0; i < canvas_.plot().plottableCount(); ++i) {
        const auto* bars = qobject_cast<QCPErrorBars*>(canvas_.plot().plottable(i));
        if (!bars) continue;
        EXPECT_EQ(bars->data()->at(0).errorMinus, 40);
        EXPECT_EQ(bars->data()->at(0).errorPlus, 60);
    }
    EXPECT_EQ(barsOf(canvas_.plot()), 1);
}

}  // namespace
}  // namespace dasgd::gui
