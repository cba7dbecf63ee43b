#include "gui/kit/plots/dense_curves.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "gui/kit/plots/plot_canvas.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// Pixels of about the colour of the first style.
int coloured(const QImage& image) {
    const QColor color = testLook().theme().curves[0];
    int count = 0;
    for (int x = 0; x < image.width(); ++x) {
        for (int y = 0; y < image.height(); ++y) count += image.pixelColor(x, y) == color ? 1 : 0;
    }
    return count;
}

QImage pictureOf(std::vector<double> y) {
    QWidget parent;
    PlotCanvas canvas(&parent);
    canvas.style(screenPlotStyle(testLook().theme()));
    canvas.axes({.legend = false});
    std::vector<Curve> curves(kMostFine + 1);
    for (std::size_t i = 0; i < y.size(); ++i) curves[0].line.x.push_back(static_cast<double>(i));
    curves[0].line.y = std::move(y);
    canvas.curves(curves);
    canvas.plot().resize(600, 300);
    return canvas.plot().toPixmap(600, 300).toImage();
}

TEST(DenseCurves, OnePeakAmongManyPointsIsSeen) {
    std::vector<double> flat(50'000, 1.0), peak = flat;
    peak[31'234] = 2;
    flat.back() = 2;  // the same range
    EXPECT_GT(coloured(pictureOf(peak)), coloured(pictureOf(flat)) + 100);
}

TEST(DenseCurves, FewPointsAreJoinedAndAGapIsNot) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const int joined = coloured(pictureOf({1, 2, 1, 2, 1}));
    EXPECT_GT(joined, 400);
    EXPECT_LT(coloured(pictureOf({1, 2, none, 2, 1})), joined * 3 / 4);
}

class PannedCurves : public ::testing::TestWithParam<bool> {
protected:
    PannedCurves() {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> noise(0.1, 2.0);
        curves_.resize(kMostFine + 6);
        for (std::size_t i = 0; i < curves_.size(); ++i) {
            curves_[i].style = {static_cast<int>(i) % kCurveColors, static_cast<int>(i) % 3, 0};
            double x = noise(random);
            for (int point = 0; point < 4000; ++point) {
                curves_[i].line.x.push_back(x += noise(random));
                curves_[i].line.y.push_back(noise(random) + (point % 400 < 20 ? 3 : 0));
            }
        }
        show(canvas_);
    }
    void show(PlotCanvas& canvas) {
        canvas.style(screenPlotStyle(testLook().theme()));
        canvas.axes({.logY = GetParam(), .legend = false});
        canvas.curves(curves_);
        canvas.plot().resize(700, 300);
    }
    [[nodiscard]] static QImage pictureOf(PlotCanvas& canvas) { return canvas.plot().toPixmap(700, 300).toImage(); }
    [[nodiscard]] static DenseCurves& denseOf(PlotCanvas& canvas) {
        return *qobject_cast<DenseCurves*>(canvas.plot().plottable(0));
    }
    std::vector<Curve> curves_;
    QWidget parent_;
    PlotCanvas canvas_{&parent_};
};

TEST_P(PannedCurves, EqualOnesPaintedWhole) {
    std::mt19937 random(5);
    QCPAxis& x = *canvas_.plot().xAxis;
    x.setRange(700.3, 1400.7);
    (void)pictureOf(canvas_);
    int painted = 0, pictures = 0;
    for (int i = 0; i < 60; ++i) {
        const int width = canvas_.plot().axisRect()->width();
        const int by = static_cast<int>(random() % 300) - 150;
        if (random() % 10 == 0) x.scaleRange(0.9);
        if (random() % 10 == 0) canvas_.plot().yAxis->scaleRange(0.97);
        x.moveRange(x.range().size() / width * by);
        const QImage kept = pictureOf(canvas_);
        painted += denseOf(canvas_).columnsPainted();
        pictures += width;
        // A picture of the same part in which nothing was shifted.
        QWidget parent;
        PlotCanvas fresh(&parent);
        show(fresh);
        fresh.plot().xAxis->setRange(x.range());
        fresh.plot().yAxis->setRange(canvas_.plot().yAxis->range());
        ASSERT_EQ(kept, pictureOf(fresh)) << i;
    }
    EXPECT_LT(painted, pictures / 2);
}

INSTANTIATE_TEST_SUITE_P(Scales, PannedCurves, ::testing::Bool());

}  // namespace
}  // namespace dasgd::gui
