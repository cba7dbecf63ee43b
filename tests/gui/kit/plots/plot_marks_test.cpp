#include "gui/kit/plots/plot_marks.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// The labels of an axis that shows [from, to].
QStringList labels(Ticks ticks, double from, double to) {
    QCustomPlot plot;
    plot.xAxis->setScaleType(ticks == Ticks::Linear || ticks == Ticks::Whole ? QCPAxis::stLinear
                                                                             : QCPAxis::stLogarithmic);
    plot.xAxis->setTicker(tickerOf(ticks));
    plot.xAxis->setRange(from, to);
    plot.replot();
    const QVector<QString> texts = plot.xAxis->tickVectorLabels();
    return {texts.begin(), texts.end()};
}

TEST(PlotMarks, WorkersAreCountedInPowersOfTwo) {
    EXPECT_EQ(labels(Ticks::Log2, 0.8, 10), (QStringList{"1", "2", "4", "8"}));
    EXPECT_EQ(labels(Ticks::Log2, 0.8, 1300).back(), QStringLiteral("1024"));
    EXPECT_LE(labels(Ticks::Log2, 0.8, 1e9).size(), 16);
    EXPECT_EQ(labels(Ticks::Log, 0.9, 6), (QStringList{"1", "2", "3", "5"}));
}

TEST(PlotMarks, AnAxisHasOneUnit) {
    EXPECT_EQ(labels(Ticks::Linear, 0, 10'500), (QStringList{"0", "2 k", "4 k", "6 k", "8 k", "10 k"}));
    EXPECT_EQ(labels(Ticks::Linear, 0, 12'400), (QStringList{"0", "2.5 k", "5.0 k", "7.5 k", "10.0 k"}));
    EXPECT_EQ(labels(Ticks::Linear, 0, 9'000), (QStringList{"0", "2000", "4000", "6000", "8000"}));
    EXPECT_EQ(labels(Ticks::Linear, 0, 1.1e-5).back(), QStringLiteral("1.0·10⁻⁵"));
    EXPECT_EQ(labels(Ticks::Log, 900, 21'000), (QStringList{"1 k", "2 k", "3 k", "5 k", "7 k", "10 k", "20 k"}));
    // A loss that diverged.
    EXPECT_EQ(labels(Ticks::Log, 0.5, 2e4), (QStringList{"1", "10", "100", "1000", "10000"}))
        << "four decades need no powers";
    EXPECT_GE(labels(Ticks::Log, 1.4, 2.8).size(), 2) << "one number is no scale";
    const QStringList far = labels(Ticks::Log, 1, 1e16);
    EXPECT_EQ(far.front(), QStringLiteral("10⁰"));
    EXPECT_EQ(far.back(), QStringLiteral("10¹⁵"));
    EXPECT_LE(far.size(), 9);
}

TEST(PlotMarks, NoTickLiesBetweenTwoSteps) {
    EXPECT_EQ(labels(Ticks::Whole, 114, 116.5), (QStringList{"114", "115", "116"}));
    for (const QString& label : labels(Ticks::Whole, 0, 11)) EXPECT_FALSE(label.contains(QLatin1Char('.')));
}

TEST(PlotMarks, LargeNumbersHaveTheirLetter) {
    EXPECT_EQ(tickText(0.25), QStringLiteral("0.25"));
    EXPECT_EQ(tickText(1024), QStringLiteral("1024"));
    EXPECT_EQ(tickText(24'000), QStringLiteral("24 k"));
    EXPECT_EQ(tickText(3e6), QStringLiteral("3 M"));
}

TEST(PlotMarks, HollowMarkersShowTheGround) {
    const PlotStyle style = screenPlotStyle(testLook().theme());
    for (int marker = 0; marker < kCurveColors; ++marker) {
        const CurveStyle curve{.color = 1, .marker = marker};
        EXPECT_EQ(markerOf(style, curve, false).brush().color(), style.curves[1]);
        EXPECT_EQ(markerOf(style, curve, true).brush().color(), style.ground);
        EXPECT_EQ(markerOf(style, curve, true).pen().color(), style.curves[1]);
    }
}

// Number of pixels along the middle of a line sample in which two dashes differ.
int pixelsApart(const PlotStyle& style, QSize size, int one, int other) {
    const auto drawn = [&](int dash) {
        QImage image(size, QImage::Format_RGB32);
        image.fill(style.ground);
        QPainter painter(&image);
        paintLineSample(painter, QRectF(QPointF(), QSizeF(size)), style, {.color = 0, .dash = dash, .marker = 0},
                        false);
        return image;
    };
    const QImage a = drawn(one), b = drawn(other);
    int apart = 0;
    for (int x = 0; x < size.width(); ++x) {
        const int y = size.height() / 2;
        apart += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 40 ? 1 : 0;
    }
    return apart;
}

TEST(PlotMarks, EveryDashIsSeenBesideTheMarkerOfAShortSample) {
    const PlotStyle screen = screenPlotStyle(testLook().theme());
    for (const int width : {28, 30}) {
        for (int one = 0; one < kCurveColors; ++one) {
            for (int other = 0; other < one; ++other)
                EXPECT_GE(pixelsApart(screen, {width, 16}, one, other), 4) << one << " and " << other << ", " << width;
        }
    }
}

TEST(PlotMarks, EveryMarkerHasItsOwnShape) {
    const PlotStyle style = screenPlotStyle(testLook().theme());
    QList<QImage> drawn;
    for (int marker = 0; marker < kCurveColors; ++marker) {
        QImage image(40, 20, QImage::Format_RGB32);
        image.fill(style.ground);
        QPainter painter(&image);
        paintLineSample(painter, {0, 0, 40, 20}, style, {.color = 0, .marker = marker}, false);
        painter.end();
        EXPECT_FALSE(drawn.contains(image)) << marker;
        drawn << image;
    }
}

}  // namespace
}  // namespace dasgd::gui
