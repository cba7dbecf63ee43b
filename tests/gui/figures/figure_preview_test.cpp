#include "gui/figures/figure_preview.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

QImage redFigure() {
    QImage image(396, 100, QImage::Format_RGB32);
    image.fill(Qt::red);
    return image;
}

// The columns that are red in the middle of the figure.
int redColumns(const QImage& image) {
    int most = 0;
    for (int y = 0; y < image.height(); ++y) {
        int red = 0;
        for (int x = 0; x < image.width(); ++x) red += image.pixelColor(x, y) == QColor(Qt::red) ? 1 : 0;
        most = std::max(most, red);
    }
    return most;
}

TEST(FigurePreview, TheFigureIsAsWideAsPrinted) {
    FigurePreview preview(testLook());
    preview.setFigure(redFigure(), {396, 100}, venues().front(), QStringLiteral("A caption"));
    for (const double zoom : {1.0, 1.5, 2.0}) {
        preview.setZoom(zoom);
        preview.resize(preview.sizeHint());
        EXPECT_NEAR(redColumns(preview.grab().toImage()), 5.5 * preview.dotsPerInch() * zoom, 3);
    }
}

TEST(FigurePreview, GreyHasNoColour) {
    FigurePreview preview(testLook());
    preview.setFigure(redFigure(), {396, 100}, venues().front(), {});
    preview.resize(preview.sizeHint());
    preview.setGrey(true);
    EXPECT_EQ(redColumns(preview.grab().toImage()), 0);
    preview.setGrey(false);
    EXPECT_GT(redColumns(preview.grab().toImage()), 0);
}

TEST(FigurePreview, WordsStandWhereThereIsNoFigure) {
    FigurePreview preview(testLook());
    preview.setWords(QStringLiteral("No figures yet"), QStringLiteral("Make one"));
    EXPECT_TRUE(preview.accessibleDescription().contains(QLatin1String("Make one")));
    EXPECT_FALSE(preview.grab().isNull());
}

}  // namespace
}  // namespace dasgd::gui
