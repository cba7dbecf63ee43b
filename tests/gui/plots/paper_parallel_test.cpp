#include "gui/plots/paper_parallel.h"

#include <gtest/gtest.h>

#include "tests/gui/support/edges.h"

namespace dasgd::gui {
namespace {

// `axes` of them, every third with words; numbers from 0.00012 on are long.
ParallelFigure figureOf(int axes, double width) {
    ParallelFigure figure{.widthIn = width};
    for (int i = 0; i < axes; ++i) {
        ParallelAxis axis{.key = "train.number_" + std::to_string(i),
                          .title = QStringLiteral("number %1").arg(i),
                          .full = QStringLiteral("a number of its own %1 [ms], simulated").arg(i),
                          .low = 0.00012,
                          .high = 0.00019};
        if (i % 3 == 0) {
            axis.kind = ParallelAxis::Kind::Category;
            axis.categories = {QStringLiteral("hybrid_sgd"), QStringLiteral("local_sgd"), QStringLiteral("sync_sgd")};
        }
        figure.plot.axes.push_back(std::move(axis));
    }
    for (int which = 0; which < 3; ++which) {
        ParallelLine line{.name = QStringLiteral("configuration %1").arg(which), .style = {which, which, which}};
        for (int i = 0; i < axes; ++i) line.values.emplace_back(i % 3 == 0 ? which : 0.00012 + 0.00003 * which);
        figure.plot.lines.push_back(std::move(line));
    }
    figure.legend = figure.plot.lines;
    return figure;
}

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
            ParallelFigure figure = figureOf(axes, width);
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

TEST(PaperParallel, NamesThatDoNotFitAreShortThenTurnedAndSaidInANote) {
    const auto words = [](int axes, double width) { return parallelWords(figureOf(axes, width)); };
    const ParallelWords few = words(2, 5.5), more = words(3, 5.5), most = words(8, 3.25);
    EXPECT_EQ(few.axes[1].title, QStringLiteral("a number of its own 1 [ms], simulated"));
    EXPECT_TRUE(few.meanings.isEmpty());
    EXPECT_EQ(more.axes[1].title, QStringLiteral("number 1"));
    EXPECT_FALSE(more.turned);
    ASSERT_FALSE(more.meanings.isEmpty());
    EXPECT_TRUE(more.meanings[0].contains(QStringLiteral("number 1: a number of its own 1 [ms], simulated")));
    EXPECT_TRUE(most.turned);
    EXPECT_GT(most.titleHeight, few.titleHeight);
}

TEST(PaperParallel, ANumberIsTurnedAndNeverCut) {
    const ParallelWords words = parallelWords(figureOf(8, 3.25));
    for (const std::size_t axis : {1U, 2U, 4U}) {
        EXPECT_TRUE(words.axes[axis].turned);
        EXPECT_GE(words.axes[axis].labels.size(), 2);
        for (const QString& label : words.axes[axis].labels) EXPECT_FALSE(label.contains(QStringLiteral("…")));
    }
    EXPECT_FALSE(parallelWords(figureOf(3, 5.5)).axes[1].turned);
}

TEST(PaperParallel, WordsThatAreCutStandInFullInANote) {
    ParallelFigure figure = figureOf(8, 3.25);
    for (int i = 0; i < 9; ++i) figure.plot.axes[0].categories << QStringLiteral("a long value %1").arg(i);
    const QString meanings = parallelWords(figure).meanings.join(u'\n');
    EXPECT_TRUE(meanings.contains(QStringLiteral("number 0, from below: hybrid_sgd, local_sgd")))
        << meanings.toStdString();
}

TEST(PaperParallel, RowsAndNotesMakeThePageHigherAndTheAxesKeepTheirHeight) {
    const ParallelFigure figure = figureOf(3, 3.25);
    ParallelFigure longer = figure;
    for (int i = 3; i < 12; ++i) {
        longer.legend.push_back({.name = QStringLiteral("configuration %1").arg(i), .style = {i % 7, 0, 0}});
    }
    longer.notes << QStringLiteral("seed 3 failed");
    EXPECT_EQ(parallelWords(figure).axisHeight, parallelWords(longer).axisHeight);
    EXPECT_GT(layOut(longer).size.height(), layOut(figure).size.height() + 30);
}

TEST(PaperParallel, ALegendOfManyCountsTheRest) {
    ParallelFigure figure = figureOf(3, 5.5);
    figure.legend.assign(30, figure.legend[0]);
    const ParallelLegend legend = parallelLegend(figure);
    EXPECT_EQ(legend.entries.size(), static_cast<std::size_t>(kMostNamed));
    EXPECT_TRUE(parallelNotes(figure, parallelWords(figure), legend).back().startsWith(QStringLiteral("6 more")));
}

TEST(PaperParallel, MarkersGoWhereNoneAreWantedButHollowOnesStay) {
    ParallelFigure figure = figureOf(3, 3.25);
    const auto ink = [&] { return inkOf(imageOf(layOut(figure), 4)); };
    const int filled = ink();
    figure.style.markers = false;
    const int bare = ink();
    EXPECT_LT(bare, filled);
    for (auto* lines : {&figure.plot.lines, &figure.legend}) (*lines)[0].hollow = true;
    EXPECT_NE(ink(), bare) << "nothing else says that time is simulated";
}

TEST(PaperParallel, WhatIsOutsideABrushIsGreyAndLinesAreToldApartWithoutColour) {
    ParallelFigure figure = figureOf(3, 5.5);
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
