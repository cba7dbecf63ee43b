#include "gui/figures/content/graph_figure.h"

#include <gtest/gtest.h>

#include <QDir>

#include "gui/figures/bundle/figure_bundle.h"
#include "gui/figures/content/figure_curves.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class GraphFigureTest : public ::testing::Test {
protected:
    FigureContent content(const FigureSpec& spec) {
        auto reader = storage::WorkspaceReader::open(workspace_.path());
        auto read = readFigure(*reader, spec, allRuns(reader->runs()).value());
        EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message);
        return read ? *read : FigureContent{};
    }
    Workspace workspace_;
};

TEST_F(GraphFigureTest, ShowsARoundOfTheFirstRunThatMixesOverAGraph) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 40});
    workspace_.record({.algorithm = "gossip_sgd", .ranks = 4, .steps = 40, .graph = "one-peer-exponential"});
    FigureSpec spec{.kind = FigureKind::Graph};
    spec.round = 1;
    const FigureContent shown = content(spec);
    EXPECT_EQ(shown.nothing, QString());
    ASSERT_TRUE(shown.graph);
    EXPECT_EQ(shown.graph->edges.size(), 2U);
    EXPECT_EQ(shown.csv, QStringLiteral("round,from,to,weight\n1,2,0,0.5\n1,3,1,0.5\n1,0,2,0.5\n1,1,3,0.5\n"));
    ASSERT_EQ(shown.table.rows.size(), 4U);
    EXPECT_EQ(shown.table.rows[1], (QStringList{QStringLiteral("1"), QStringLiteral("3"), QStringLiteral("0.5000")}));
    EXPECT_TRUE(shown.paperNotes().contains(QStringLiteral("one-peer-exponential of 4 ranks, round 1 of every 2")));
    EXPECT_EQ(shown.sources.size(), 1U);
    const QTemporaryDir out;
    QStringList files;
    const auto written = writeBundle(shown, {QStringLiteral("graph"), spec}, out.path(), files);
    ASSERT_TRUE(written) << written.error().message;
    for (const char* file : {"graph.pdf", "graph.svg", "graph.png", "graph.csv", "graph-plot.tex", "graph-table.tex"})
        EXPECT_TRUE(QFile::exists(out.filePath(QLatin1String(file)))) << file;
}

TEST_F(GraphFigureTest, SaysWhyThereIsNothingToDraw) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 40});
    EXPECT_TRUE(content({.kind = FigureKind::Graph}).nothing.startsWith(QStringLiteral("None of these runs mixes")));
    workspace_.record({.algorithm = "dpsgd", .steps = 40, .graph = "of a newer program"});
    EXPECT_TRUE(content({.kind = FigureKind::Graph}).nothing.contains(QStringLiteral("more than 128 ranks")));
}

TEST_F(GraphFigureTest, ItsRoundIsPartOfTheFile) {
    FigureSpec spec{.kind = FigureKind::Graph};
    spec.round = 12;
    const auto read = figureSpecOf(jsonOf(spec));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, spec);
    QJsonObject negative = jsonOf(spec);
    negative[QLatin1String("round")] = -1;
    EXPECT_FALSE(figureSpecOf(negative));
}

}  // namespace
}  // namespace dasgd::gui
