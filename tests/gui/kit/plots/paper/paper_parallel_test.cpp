#include "gui/kit/plots/paper/paper_parallel.h"

#include <gtest/gtest.h>

#include "tests/gui/support/edges.h"
#include "tests/gui/support/parallel_figures.h"

namespace dasgd::gui {
namespace {

int inkOf(const QImage& image) {
    int ink = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) ink += qGray(image.pixel(x, y)) < 200 ? 1 : 0;
    }
    return ink;
}

TEST(PaperParallel, NothingIsCutAtAnyWidth) {
    for (const double width : {2.5, 3.25, 5.5, 6.75}) {
        for (const int axes : {2, 3, 5, 8, 12}) {
            ParallelFigure figure = parallelFigure(axes, width);
            figure.plot.lines[1].values.back().reset();
            figure.plot.lines[2].values.front().reset();
            figure.legend[0].name =
                QStringLiteral("a configuration whose name is longer than any column of a paper is wide");
            const PaperPage page = layOut(figure);
            EXPECT_EQ(page.size.width(), width * 72);
            EXPECT_EQ(inkAtEdges(imageOf(page, 300.0 / 72)), 0) << axes << " axes in " << width;
        }
    }
}

TEST(PaperParallel, RowsAndNotesMakeThePageHigherAndTheAxesKeepTheirHeight) {
    const ParallelFigure figure = parallelFigure(3, 3.25);
    ParallelFigure longer = figure;
    for (int i = 3; i < 12; ++i) {
        longer.legend.push_back({.name = QStringLiteral("configuration %1").arg(i), .style = {i % 7, 0, 0}});
    }
    longer.notes << QStringLiteral("seed 3 failed");
    EXPECT_EQ(parallelWords(figure).axisHeight, parallelWords(longer).axisHeight);
    EXPECT_GT(layOut(longer).size.height(), layOut(figure).size.height() + 30);
}

TEST(PaperParallel, MarkersGoWhereNoneAreWantedButHollowOnesStay) {
    ParallelFigure figure = parallelFigure(3, 3.25);
    const auto ink = [&] { return inkOf(imageOf(layOut(figure), 4)); };
    const int filled = ink();
    figure.style.markers = false;
    const int bare = ink();
    EXPECT_LT(bare, filled);
    for (auto* lines : {&figure.plot.lines, &figure.legend}) (*lines)[0].hollow = true;
    EXPECT_NE(ink(), bare) << "nothing else says that time is simulated";
}

TEST(PaperParallel, SimulatedTimeIsHollowOutsideABrushToo) {
    ParallelFigure figure = parallelFigure(3, 5.5);
    figure.legend.clear();
    figure.plot.brushes = {std::pair(-0.5, 0.5), std::nullopt, std::nullopt};
    const QImage measured = imageOf(layOut(figure), 3);
    figure.plot.lines[2].hollow = true;
    ASSERT_FALSE(figure.plot.passes(figure.plot.lines[2]));
    const QImage simulated = imageOf(layOut(figure), 3);
    EXPECT_NE(measured, simulated);
    // Grey as the line is: no new colour.
    int coloured = 0;
    for (int y = 0; y < measured.height(); ++y) {
        for (int x = 0; x < measured.width(); ++x) {
            const bool differs = measured.pixel(x, y) != simulated.pixel(x, y);
            coloured +=
                differs && simulated.pixelColor(x, y).saturation() > measured.pixelColor(x, y).saturation() + 80;
        }
    }
    EXPECT_EQ(coloured, 0);
}

TEST(PaperParallel, WhatIsOutsideABrushIsGreyAndLinesAreToldApartWithoutColour) {
    ParallelFigure figure = parallelFigure(3, 5.5);
    const auto coloured = [&] {
        const QImage image = imageOf(layOut(figure), 3);
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y).saturation() > 80 ? 1 : 0;
        }
        return count;
    };
    figure.legend.clear();
    const int all = coloured();
    figure.plot.brushes = {std::pair(-0.5, 0.5), std::nullopt, std::nullopt};
    EXPECT_LT(coloured(), all / 2);
    figure.plot.brushes.clear();
    figure.style.curves.fill(Qt::black);
    const QImage dashed = imageOf(layOut(figure), 3);
    figure.style.dashes = false;
    EXPECT_NE(dashed, imageOf(layOut(figure), 3));
}

}  // namespace
}  // namespace dasgd::gui
