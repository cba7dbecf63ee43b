#include "gui/kit/plots/plot_view.h"

#include <gtest/gtest.h>

#include <QImage>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/curves.h"

namespace dasgd::gui {
namespace {

TEST(PlotView, DrawsItsCurveInItsColour) {
    PlotView view(testLook());
    view.resize(500, 300);
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss")});
    view.setCurves({ramp(2)});
    view.show();
    ASSERT_TRUE(eventually([&] {
        const QImage image = view.grab().toImage();
        int colored = 0;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 60; y < image.height(); ++y)
                colored += image.pixelColor(x, y) == testLook().theme().curves[0] ? 1 : 0;
        }
        return colored > 300;
    }));
}

TEST(PlotView, WithoutACurveItSaysSo) {
    PlotView view(testLook());
    view.resize(500, 300);
    view.setEmptyText(QStringLiteral("nothing"));
    view.show();
    const QImage empty = view.grab().toImage();
    view.setCurves({ramp(1)});
    ASSERT_TRUE(eventually([&] { return view.grab().toImage() != empty; }));
}

TEST(PlotView, TheCursorSaysHowManyRunsMadeThePoint) {
    PlotView view(testLook());
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss"), .wholeX = true});
    Curve mean = ramp(2);
    mean.name = QStringLiteral("mean");
    mean.n.assign(mean.line.x.size(), 3);
    mean.n.back() = 1;
    view.setCurves({mean, ramp(1)});
    view.showCursor(50);
    EXPECT_EQ(view.accessibleDescription(), QStringLiteral("step 50\nmean  %1  n = 3\nramp  %2")
                                                .arg(QString::number(100.0, 'f', 1), QString::number(50.0, 'f', 2)));
    view.showCursor(100);
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("n = 1")))
        << view.accessibleDescription().toStdString();
}

TEST(PlotView, TheCursorSaysTheUnit) {
    PlotView view(testLook());
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("test accuracy [%], simulated"), .wholeX = true});
    Curve mean = ramp(1);
    mean.n.assign(mean.line.x.size(), 3);
    view.setCurves({mean});
    view.showCursor(50);
    EXPECT_EQ(view.accessibleDescription(), QStringLiteral("step 50\nramp  50.00 %  n = 3"));
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss"), .wholeX = true});
    view.showCursor(50);
    EXPECT_EQ(view.accessibleDescription(), QStringLiteral("step 50\nramp  50.00  n = 3"));
}

TEST(BandAt, OfAShareStaysWithinTheWhole) {
    Curve curve;
    curve.line = {.x = {0, 1, 2}, .y = {98, 1, 120}};
    curve.deviation = {5, 4, 10};
    const PlotAxes share{.share = true};
    EXPECT_EQ(bandAt(curve, 0, share).low, 93);
    EXPECT_EQ(bandAt(curve, 0, share).high, 100);
    EXPECT_EQ(bandAt(curve, 1, share).low, 0);
    EXPECT_EQ(bandAt(curve, 1, share).high, 5);
    EXPECT_EQ(bandAt(curve, 2, share).low, 110) << "a mean beyond the whole is shown as it is";
    EXPECT_EQ(bandAt(curve, 2, share).high, 130);
    EXPECT_EQ(bandAt(curve, 0, {}).high, 103) << "what is no share has no end";
}

// Lower end of a curve's band, as a part of the picture's height.
double bandEndOf(const Curve& curve, bool log) {
    PlotView view(testLook());
    view.resize(500, 300);
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss"), .logY = log, .legend = false});
    view.setCurves({curve});
    view.show();
    const QImage image = view.grab().toImage();
    const QColor ground = testLook().theme().panel;
    int last = 0;
    for (int y = 0; y < view.areaHeight(); ++y) {
        const QColor at = image.pixelColor(image.width() / 2 + 37, y);
        if (at.blue() - at.red() > ground.blue() - ground.red() + 12) last = y;
    }
    return static_cast<double>(last) / view.areaHeight();
}

TEST(BandAt, ThatReachesZeroEndsAtTheEndOfALogarithmicAxis) {
    Curve curve{.name = QStringLiteral("dasgd")};
    curve.line = {.x = {0, 1, 2}, .y = {1, 1, 1}};
    curve.deviation = {4, 4, 4};
    const PlotAxes log{.logY = true};
    EXPECT_EQ(bandAt(curve, 1, log).low, -3) << "no other number is invented for it";
    EXPECT_EQ(leastShown(curve, 1, log), 0.1) << "but the axis need not follow it";
    EXPECT_EQ(leastShown(curve, 1, {}), -3);
    EXPECT_TRUE(bandsAtZeroInWords({curve}, log).contains(QStringLiteral("interval reaches 0")));
    EXPECT_TRUE(bandsAtZeroInWords({curve}, log).endsWith(QStringLiteral("dasgd")));
    EXPECT_EQ(bandsAtZeroInWords({curve}, {}), QString()) << "a linear axis has a 0";
    EXPECT_EQ(logAxisEnd({curve}, log), 0.1);
    EXPECT_GT(bandEndOf(curve, true), 0.97) << "down to the axis";
    curve.deviation = {0.5, 0.5, 0.5};
    EXPECT_EQ(bandsAtZeroInWords({curve}, log), QString());
    EXPECT_FALSE(logAxisEnd({curve}, log));
}

}  // namespace
}  // namespace dasgd::gui
