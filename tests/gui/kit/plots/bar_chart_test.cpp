#include "gui/kit/plots/bar_chart.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

BarChart threeBars() {
    BarChart chart{.axis = QStringLiteral("time to target [s]")};
    chart.bars = {{.label = QStringLiteral("dasgd"),
                   .style = {0, 0, 0},
                   .value = 10,
                   .interval = 2,
                   .words = QStringLiteral("10 ± 2"),
                   .ratio = QStringLiteral("÷ 0.25"),
                   .count = QStringLiteral("3 of 3")},
                  {.label = QStringLiteral("sync_sgd"),
                   .style = {1, 1, 1},
                   .value = 40,
                   .words = QStringLiteral("40"),
                   .count = QStringLiteral("1 of 3")},
                  {.label = QStringLiteral("independent"),
                   .style = {2, 2, 2},
                   .words = QStringLiteral("not reached"),
                   .count = QStringLiteral("0 of 3")}};
    return chart;
}

// The rightmost pixel of about this colour in a row of pixels.
int endOf(const QImage& image, const QColor& color, int y) {
    for (int x = image.width() - 1; x >= 0; --x) {
        const QColor at = image.pixelColor(x, y);
        if (std::abs(at.red() - color.red()) + std::abs(at.green() - color.green()) +
                std::abs(at.blue() - color.blue()) <
            90)
            return x;
    }
    return -1;
}

TEST(BarChart, ABarIsAsLongAsItsValue) {
    const BarChart chart = threeBars();
    for (const PlotStyle& style : {screenPlotStyle(testLook().theme()), paperPlotStyle()}) {
        QImage image(600, 200, QImage::Format_RGB32);
        image.fill(style.ground);
        QPainter painter(&image);
        paintBarChart(painter, image.rect(), chart, style);
        painter.end();
        std::vector<int> rows(3, 0);
        for (int y = 0; y < 200; ++y) {
            const auto bar = barAt(image.rect(), chart, style, QPointF(5, y));
            if (bar) ++rows[*bar];
        }
        EXPECT_GT(rows[0], 10);
        EXPECT_EQ(rows[0], rows[1]);
        EXPECT_GT(endOf(image, style.curves[1], rows[0] + rows[1] / 2),
                  endOf(image, style.curves[0], rows[0] / 4) + 80);
    }
}

TEST(BarChart, ItFitsWhereThereAreManyAndTheWidthIsThatOfAColumn) {
    BarChart chart{.axis = QStringLiteral("ms per step")};
    for (int i = 0; i < 40; ++i) {
        chart.bars.push_back({.label = QStringLiteral("dasgd τ 4 d %1 ξ 0.25 batch 64 on a far cluster").arg(i),
                              .value = i + 1.0,
                              .words = QStringLiteral("%1 ± 0.1").arg(i)});
    }
    const PlotStyle style = paperPlotStyle();
    EXPECT_GT(barChartHeight(chart, style), 300);
    QImage image(234, 400, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintBarChart(painter, QRectF(10, 10, 214, 380), chart, style);
    painter.end();
    for (int y = 0; y < 400; ++y) {
        EXPECT_EQ(image.pixelColor(3, y), QColor(Qt::white)) << y;
        EXPECT_EQ(image.pixelColor(231, y), QColor(Qt::white)) << y;
    }
}

// The chart has the narrowest column of a venue; a label that is cut loses what lies in its middle.
TEST(BarChart, AnAlgorithmHasItsWholeNameInANarrowColumn) {
    const auto picture = [](const QString& label, const QString& count) {
        BarChart chart{.axis = QStringLiteral("time per step [ms]")};
        for (const QString& one : {label, QStringLiteral("local_sgd")}) {
            chart.bars.push_back({.label = one,
                                  .value = 5,
                                  .words = QStringLiteral("5.017 ± 0"),
                                  .ratio = QStringLiteral("÷ 0.557"),
                                  .count = count});
        }
        PlotStyle style = paperPlotStyle();
        style.font = style.legendFont = interFont(8);
        QImage image(191, 60, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintBarChart(painter, QRectF(2, 2, 187, 56), chart, style);
        return image;
    };
    const QString name = QStringLiteral("independent"), alike = QStringLiteral("indexxndent");
    EXPECT_NE(picture(name, {}), picture(alike, {}));
}

// Shrunk to its room the whole sentence had letters of two points.
TEST(BarChart, WordsWithoutABarKeepTheirSizeBeforeTheirNumber) {
    const auto picture = [](const QString& words) {
        BarChart chart{.axis = QStringLiteral("time to target [s]")};
        chart.bars = {{.label = QStringLiteral("sync_sgd"), .words = words, .count = QStringLiteral("n = 2 of 3")}};
        QImage image(191, 40, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintBarChart(painter, QRectF(2, 2, 187, 36), chart, paperPlotStyle());
        return image;
    };
    EXPECT_EQ(picture(QStringLiteral("reached by 2 of 3 finished: 0.41 ± 0.19 s")),
              picture(QStringLiteral("reached by 2 of 3 finished: 0.73 ± 0.11 s")));
    EXPECT_NE(picture(QStringLiteral("reached by 2 of 3 finished: 0.41 ± 0.19 s")),
              picture(QStringLiteral("reached by 1 of 3 finished: 0.41 ± 0.19 s")));
}

// Words behind the bars need room at the width of a column; that was drawn as an axis to 200 %.
TEST(BarChart, TheAxisOfAShareEndsAtTheWhole) {
    BarChart chart{.bars = {{.value = 98,
                             .words = QStringLiteral("98.1 ± 0.4 over the seeds"),
                             .count = QStringLiteral("3 of 3")}},
                   .axis = QStringLiteral("accuracy [%]")};
    const auto lastTick = [&chart] {
        const std::vector<double> ticks = barTicks(QRectF(2, 2, 187, 56), chart, paperPlotStyle()).values;
        return ticks.back();
    };
    EXPECT_GT(lastTick(), 100) << "of a number without an end";
    chart.most = 100;
    EXPECT_EQ(lastTick(), 100);
    chart.bars[0].value = 160;
    EXPECT_GT(lastTick(), 100) << "where a value is past it";
}

TEST(BarChart, NoGridlineGoesThroughANumber) {
    const auto picture = [](const QString& words) {
        BarChart chart{.bars = {{.value = 50, .words = words}, {.value = 100}}, .axis = QStringLiteral("accuracy [%]")};
        PlotStyle style = paperPlotStyle();
        style.grid = Qt::magenta;
        style.text = style.ground;
        QImage image(400, 60, QImage::Format_RGB32);
        image.fill(style.ground);
        QPainter painter(&image);
        paintBarChart(painter, QRectF(2, 2, 396, 56), chart, style);
        painter.end();
        // Pixels through the middle of the first bar's row.
        int inked = 0;
        for (int x = 250; x < 390; ++x) inked += image.pixelColor(x, 9) == style.ground ? 0 : 1;
        return inked;
    };
    EXPECT_GT(picture({}), 0);
    EXPECT_EQ(picture(QStringLiteral("50.0 ± 0.4 of a hundred in every of the runs")), 0);
}

TEST(BarView, KeysAndAClickChooseABar) {
    BarView view(testLook());
    view.resize(500, 200);
    view.setChart(threeBars());
    view.show();
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("10 ± 2")));
    QSignalSpy spy(&view, &BarView::chosen);
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_EQ(spy.size(), 1);
    EXPECT_EQ(spy[0][0].value<std::size_t>(), 1U);
    QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(40, 8));
    ASSERT_EQ(spy.size(), 2);
    EXPECT_EQ(spy[1][0].value<std::size_t>(), 0U);
}

TEST(BarChart, NoWhiskerOfAShareGoesPastTheWhole) {
    BarChart chart;
    const Bar high{.value = 99, .interval = 3}, low{.value = 1, .interval = 3}, past{.value = 101, .interval = 3};
    EXPECT_EQ(chart.whiskerHigh(high), 102);
    chart.most = 100;
    EXPECT_EQ(chart.whiskerHigh(high), 100);
    EXPECT_EQ(chart.whiskerLow(high), 96);
    EXPECT_EQ(chart.whiskerLow(low), 0);
    EXPECT_EQ(chart.whiskerHigh(past), 101) << "never below the bar's own end";
    EXPECT_EQ(chart.whiskerHigh({.value = 50}), 50);
}

}  // namespace
}  // namespace dasgd::gui
