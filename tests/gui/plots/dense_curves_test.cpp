#include "gui/plots/dense_curves.h"

#include <gtest/gtest.h>

#include <limits>

#include "gui/plots/plot_canvas.h"
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

}  // namespace
}  // namespace dasgd::gui
