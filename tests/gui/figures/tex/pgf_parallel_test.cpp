// Text of parallel coordinates for pgfplots. pgfplots_test shows that such documents compile.
#include <gtest/gtest.h>

#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"

namespace dasgd::gui {
namespace {

FigureContent twoLines() {
    FigureContent content{.kind = FigureKind::Parallel};
    ParallelFigure figure;
    figure.plot.axes = {{.title = QStringLiteral("d_1"), .low = 1, .high = 3},
                        {.title = QStringLiteral("loss"), .kind = ParallelAxis::Kind::Log, .low = 0.01, .high = 1}};
    figure.plot.lines = {{.name = QStringLiteral("a"), .values = {3, 0.1}},
                         {.name = QStringLiteral("b"), .style = {1, 1, 1}, .values = {std::nullopt, 1}}};
    figure.plot.lines[1].hollow = true;
    figure.legend = figure.plot.lines;
    content.parallel = figure;
    content.notes = QStringList{QStringLiteral("d 3, seed 4 failed, left out")};
    return content;
}

FigureSpec parallelSpec() {
    FigureSpec spec;
    spec.kind = FigureKind::Parallel;
    return spec;
}

TEST(PgfParallel, ALineGoesThroughItsValuesAndBelowTheAxisThatItLacks) {
    const FigureContent content = twoLines();
    const double high = parallelWords(parallelOf(content, parallelSpec())).axisHeight;
    const QString text = parallelPicture(content, parallelSpec());
    const auto points = [](double y) { return QString::number(y, 'f', 2) + QStringLiteral("pt"); };
    // 0.1 is the middle of a logarithmic axis from 0.01 to 1.
    EXPECT_TRUE(text.contains(
        QStringLiteral("(0.00000\\axiswidth,%1) -- (1.00000\\axiswidth,%2)").arg(points(high), points(high / 2))))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("(0.00000\\axiswidth,%1) --").arg(points(-kNoneBelow))));
    EXPECT_TRUE(text.contains(QStringLiteral("{none}")));
}

TEST(PgfParallel, DashesMarkersNamesAndNotesAreThere) {
    const QString text = parallelPicture(twoLines(), parallelSpec());
    for (const char* part :
         {"dash pattern=on 4.4pt off 2.2pt", "fill=white", "d\\_1", "seed 4 failed, left out", "curve1"})
        EXPECT_TRUE(text.contains(QLatin1String(part))) << part;
    FigureSpec bare = parallelSpec();
    bare.markers = false;
    const QString lines = parallelPicture(twoLines(), bare);
    // Two lines and their entries in the legend; of these the hollow ones keep their markers.
    EXPECT_EQ(text.count(QLatin1String("only marks")), 4);
    EXPECT_EQ(lines.count(QLatin1String("only marks")), 2);
}

TEST(PgfParallel, WhatIsOutsideABrushIsGrey) {
    FigureContent content = twoLines();
    EXPECT_FALSE(parallelPicture(content, parallelSpec()).contains(QLatin1String("black!22")));
    content.parallel->plot.brushes = {std::pair(2.0, 3.0), std::nullopt};
    const QString text = parallelPicture(content, parallelSpec());
    EXPECT_EQ(text.count(QLatin1String("black!22")), 2) << "the line, and its markers";
    EXPECT_TRUE(text.contains(QLatin1String("\\draw[only marks, color=black!22"))) << "its time is simulated";
    EXPECT_TRUE(text.contains(QLatin1String("\\filldraw")));
    content.parallel->plot.lines[1].hollow = false;
    EXPECT_EQ(parallelPicture(content, parallelSpec()).count(QLatin1String("black!22")), 1);
}

TEST(PgfParallel, TheDocumentDefinesItsColoursAndReadsNoNumbers) {
    const QString text = pgfplotsOf(twoLines(), parallelSpec(), QStringLiteral("f.csv"));
    EXPECT_TRUE(text.contains(QLatin1String("\\definecolor{curve1}")));
    EXPECT_FALSE(text.contains(QLatin1String("f.csv")));
}

}  // namespace
}  // namespace dasgd::gui
