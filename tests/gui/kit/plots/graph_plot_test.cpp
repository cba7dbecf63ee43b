#include "gui/kit/plots/graph_plot.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunGraph graphWith(int ranks, std::vector<RunGraph::Edge> edges) {
    return {.name = QStringLiteral("ring"), .ranks = ranks, .edges = std::move(edges)};
}

QImage painted(const RunGraph& graph, QSize size = {200, 200}) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintGraph(painter, image.rect(), graph, paperPlotStyle());
    return image;
}

int inked(const QImage& image, const QRectF& area) {
    int count = 0;
    for (int y = static_cast<int>(area.top()); y < area.bottom(); ++y) {
        for (int x = static_cast<int>(area.left()); x < area.right(); ++x) {
            count += image.pixelColor(x, y) != QColor(Qt::white) ? 1 : 0;
        }
    }
    return count;
}

TEST(GraphPlot, ALineJoinsTwoRanksAndAnArrowPointsToTheOneThatHears) {
    const QRectF middle(95, 40, 10, 120);
    const QImage none = painted(graphWith(2, {}));
    EXPECT_EQ(inked(none, middle), 0);
    const QImage mutual = painted(graphWith(2, {{0, 1, 0.5, true}}));
    EXPECT_GT(inked(mutual, middle), 100);
    const QImage arrow = painted(graphWith(2, {{0, 1, 0.5, false}}));
    // Rank 1 is below: the head of the arrow ends at its disc, and is wider than a line.
    const GraphPlaces places = graphPlaces({0, 0, 200, 200}, 2, paperPlotStyle());
    const QRectF besideTheLine(102, places.of(1, 2).y() - places.node - 6, 3, 5);
    EXPECT_EQ(inked(mutual, besideTheLine), 0);
    EXPECT_GT(inked(arrow, besideTheLine), 0);
    EXPECT_EQ(inked(arrow, {90, 40, 20, 50}), inked(mutual, {90, 40, 20, 50}));
}

TEST(GraphPlot, EveryRankIsWithinTheAreaAndApartFromTheOthers) {
    const QRectF area(10, 20, 300, 180);
    for (const int ranks : {1, 2, 8, 64, RunGraph::kMostRanks}) {
        const GraphPlaces places = graphPlaces(area, ranks, paperPlotStyle());
        EXPECT_EQ(places.numbered, ranks <= 8) << ranks;
        for (int rank = 0; rank < ranks; ++rank) {
            const QPointF at = places.of(rank, ranks);
            const QRectF disc(at - QPointF(places.node, places.node), QSizeF(2 * places.node, 2 * places.node));
            EXPECT_TRUE(area.contains(disc)) << rank << " of " << ranks;
            const QPointF next = places.of((rank + 1) % ranks, ranks) - at;
            if (ranks > 1) {
                EXPECT_GT(std::hypot(next.x(), next.y()), 2 * places.node) << rank << " of " << ranks;
            }
        }
    }
}

TEST(GraphPlot, TheWidgetSaysInWordsWhatItShows) {
    GraphView view(testLook());
    view.setGraph(graphWith(4, {{0, 1, 0.5, false}}));
    EXPECT_TRUE(view.accessibleName().startsWith(QStringLiteral("ring of 4 ranks: ")));
    view.resize(200, 160);
    EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace dasgd::gui
