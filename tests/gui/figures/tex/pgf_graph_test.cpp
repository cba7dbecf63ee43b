// Text of a graph for TikZ. pgfplots_test shows that such documents compile.
#include <gtest/gtest.h>

#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"

namespace dasgd::gui {
namespace {

TEST(PgfGraph, LinesJoinWhatIsMutualAndArrowsPointToTheOneThatHears) {
    FigureContent content{.kind = FigureKind::Graph};
    content.graph = RunGraph{.name = QStringLiteral("g"), .ranks = 3, .edges = {{0, 1, 0.5, true}, {2, 0, 0.5, false}}};
    content.notes = QStringList{QStringLiteral("random-pair, 50 %")};
    const QString text = graphPicture(content, {});
    EXPECT_TRUE(text.contains(QLatin1String("\\draw[curve0, line width=0.6pt] (rank0) -- (rank1);")))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QLatin1String("\\draw[curve0, line width=0.6pt, -latex] (rank2) -- (rank0);")));
    EXPECT_TRUE(text.contains(QLatin1String("(rank0) at (0.000pt,68.000pt) {0}"))) << "rank 0 is at the top";
    EXPECT_FALSE(text.contains(QLatin1String("random-pair"))) << "the artwork has no notes";
    EXPECT_TRUE(pgfplotsOf(content, {}, {}).contains(QLatin1String("% random-pair, 50 %\n")));
    content.graph->ranks = 64;
    EXPECT_TRUE(graphPicture(content, {}).contains(QLatin1String("fill] (rank63)"))) << "no room for a number";
}

}  // namespace
}  // namespace dasgd::gui
