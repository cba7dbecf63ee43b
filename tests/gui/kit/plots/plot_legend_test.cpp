#include <gtest/gtest.h>

#include "gui/kit/plots/plot_canvas.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class PlotLegendTest : public ::testing::Test {
protected:
    PlotLegendTest() { canvas_.style(screenPlotStyle(testLook().theme())); }
    QWidget parent_;
    PlotCanvas canvas_{&parent_};
};

Curve lineCalled(const QString& name) {
    Curve curve{.name = name};
    curve.line = {.x = {1, 2}, .y = {1, 2}};
    return curve;
}

TEST_F(PlotLegendTest, TheLegendFitsItsWidthWithNamesThatDiffer) {
    canvas_.axes({});
    std::vector<Curve> curves;
    for (int i = 0; i < 8; ++i) {
        curves.push_back(lineCalled(QStringLiteral("dasgd τ 4 d %1 ξ 0.25 on two racks").arg(i)));
    }
    canvas_.curves(curves);
    for (const int width : {260, 420, 1600}) {
        canvas_.plot().setViewport({0, 0, width, 300});
        canvas_.fitLegend(width);
        canvas_.draw(true);
        const QCPLegend& legend = *canvas_.plot().legend;
        EXPECT_LE(legend.outerRect().width(), width) << width;
        EXPECT_GE(legend.outerRect().left(), 0) << width;
        EXPECT_LE(legend.rowCount(), 3) << width;
        QStringList names = canvas_.legendNames();
        EXPECT_EQ(names.size(), 8);
        EXPECT_EQ(names.removeDuplicates(), 0) << width;
    }
    EXPECT_GT(canvas_.plot().axisRect()->height(), 150);
}

// Eight settings of a sweep: numbers in their place would say nothing.
TEST_F(PlotLegendTest, ANarrowLegendHasMoreRowsBeforeItsNamesAreNumbered) {
    canvas_.axes({});
    std::vector<Curve> curves{lineCalled(QStringLiteral("mean of 2 seeds, 95 %"))};
    for (const int period : {8, 16}) {
        for (const int delay : {0, 2}) {
            for (const char* weight : {"0", "0.25"}) {
                curves.push_back(lineCalled(QStringLiteral("dasgd τ\u00a0%1 d\u00a0%2 ξ\u00a0%3")
                                                .arg(period)
                                                .arg(delay)
                                                .arg(QLatin1String(weight))));
            }
        }
    }
    canvas_.curves(curves);
    canvas_.plot().setViewport({0, 0, 400, 300});
    canvas_.fitLegend(400);
    const QCPLegend& legend = *canvas_.plot().legend;
    EXPECT_LE(legend.rowCount(), 5);
    QStringList names = canvas_.legendNames();
    EXPECT_EQ(names.size(), 9);
    EXPECT_TRUE(names.filter(QStringLiteral("#")).isEmpty()) << names.join(u'|').toStdString();
    EXPECT_EQ(names.filter(QStringLiteral("0.25")).size(), 4) << names.join(u'|').toStdString();
    EXPECT_EQ(names.removeDuplicates(), 0);
}

TEST_F(PlotLegendTest, ALongNameOfTheYAxisIsBrokenInTheMiddleWhereItWouldBeCut) {
    const QString name = QStringLiteral("test accuracy of the best on validation [%]");
    canvas_.axes({.y = name});
    const auto longest = [&] {
        const QFontMetricsF metrics(canvas_.plot().yAxis->labelFont());
        double most = 0;
        for (const QString& line : canvas_.plot().yAxis->label().split(u'\n'))
            most = std::max(most, metrics.horizontalAdvance(line));
        return most;
    };
    const double whole = longest();
    canvas_.fitYLabel(static_cast<int>(whole) + 1);
    EXPECT_EQ(canvas_.plot().yAxis->label(), name);
    const int least = static_cast<int>(0.7 * whole);
    canvas_.fitYLabel(least);
    EXPECT_EQ(canvas_.plot().yAxis->label().count(u'\n'), 1);
    EXPECT_LE(longest(), least);
    canvas_.fitYLabel(1000);
    EXPECT_EQ(canvas_.plot().yAxis->label(), name) << "higher again";
    canvas_.axes({.y = QStringLiteral("samples/s")});
    canvas_.fitYLabel(10);
    EXPECT_EQ(canvas_.plot().yAxis->label(), QStringLiteral("samples/s")) << "nowhere to break it";
}

// The band is no curve: where it is named, that is in the legend, whose swatch has its tint.
TEST_F(PlotLegendTest, ABandIsNamedAfterTheCurvesWhileThereIsOne) {
    const QString name = QStringLiteral("in timeline");
    const std::vector<Curve> curves{lineCalled(QStringLiteral("a")), lineCalled(QStringLiteral("b"))};
    canvas_.axes({});
    canvas_.band(std::pair(1.2, 1.6), false);
    canvas_.curves(curves);
    EXPECT_EQ(canvas_.legendNames().size(), 2) << "a band without a name is not named";
    canvas_.nameBand(name);
    canvas_.curves(curves);
    EXPECT_EQ(canvas_.legendNames().last(), name);
    EXPECT_EQ(canvas_.legendNames().size(), 3);
    const auto drawnWidth = [&] {
        canvas_.plot().setViewport({0, 0, 400, 300});
        canvas_.fitLegend(400);
        canvas_.draw(true);
        return canvas_.plot().legend->outerRect().width();
    };
    const int with = drawnWidth();
    EXPECT_LE(with, 400);
    canvas_.band(std::nullopt, false);
    canvas_.curves(curves);
    EXPECT_EQ(canvas_.legendNames().size(), 2);
    EXPECT_LT(drawnWidth(), with);
    canvas_.axes({.legend = false});
    canvas_.band(std::pair(1.2, 1.6), false);
    canvas_.curves(curves);
    EXPECT_EQ(canvas_.legendNames(), QStringList{name}) << "a list beside the plot names the curves";
    EXPECT_TRUE(canvas_.plot().legend->visible());
}

}  // namespace
}  // namespace dasgd::gui
