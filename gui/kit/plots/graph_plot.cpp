#include "gui/kit/plots/graph_plot.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace dasgd::gui {

namespace {

constexpr double kMostNode = 1.0;                   // radius of a disc at most, in heights of a line of text
constexpr double kLeastNode = 0.16;                 // likewise, at least
constexpr double kNodeShare = 0.36;                 // of the distance of two neighbours on the circle
constexpr double kArrow = 0.62, kArrowHalf = 0.24;  // length and half the width of an arrow's head, likewise
constexpr int kManyEdges = 200;                     // beyond it edges are thin, or they would be one blot

void paintEdge(QPainter& painter, QPointF from, QPointF to, double node, double head) {
    const QPointF way = to - from;
    const double length = std::hypot(way.x(), way.y());
    if (length <= 2 * node) return;
    const QPointF along = way / length;
    from += along * node;
    to -= along * node;
    if (head <= 0) return painter.drawLine(from, to);
    const QPointF foot = to - along * head * kArrow, aside(-along.y(), along.x());
    painter.drawLine(from, foot);
    painter.setBrush(painter.pen().color());
    painter.drawPolygon(QPolygonF{to, foot + aside * head * kArrowHalf, foot - aside * head * kArrowHalf});
}

}  // namespace

GraphPlaces graphPlaces(const QRectF& area, int ranks, const PlotStyle& style) {
    const double text = QFontMetricsF(style.font).height();
    const double half = std::min(area.width(), area.height()) / 2;
    GraphPlaces places{.centre = area.center()};
    // The discs and half of a line are within the square.
    const double between = ranks < 2 ? half : 2 * std::sin(std::numbers::pi / ranks) * half;
    places.node = std::clamp(kNodeShare * between, kLeastNode * text, kMostNode * text);
    places.numbered = places.node >= 0.55 * text;
    places.radius = std::max(0.0, half - places.node - style.line);
    return places;
}

void paintGraph(QPainter& painter, const QRectF& area, const RunGraph& graph, const PlotStyle& style) {
    const GraphPlaces places = graphPlaces(area, graph.ranks, style);
    const double text = QFontMetricsF(style.font).height();
    const bool many = std::ssize(graph.edges) > kManyEdges;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const RunGraph::Edge& edge : graph.edges) {
        painter.setPen(QPen(style.curves[0], many ? style.hair : style.line * 0.7));
        paintEdge(painter, places.of(edge.from, graph.ranks), places.of(edge.to, graph.ranks), places.node,
                  edge.mutual ? 0 : text);
    }
    painter.setFont(style.font);
    for (int rank = 0; rank < graph.ranks; ++rank) {
        const QPointF at = places.of(rank, graph.ranks);
        painter.setPen(QPen(style.axis, style.hair));
        painter.setBrush(places.numbered ? style.ground : style.text);
        painter.drawEllipse(at, places.node, places.node);
        if (!places.numbered) continue;
        painter.setPen(style.text);
        painter.drawText(QRectF(at - QPointF(text, text), QSizeF(2 * text, 2 * text)), Qt::AlignCenter,
                         QString::number(rank));
    }
    painter.restore();
}

GraphView::GraphView(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
    setMinimumSize(150, 150);
    connect(&look, &Look::changed, this, qOverload<>(&QWidget::update));
}

void GraphView::setGraph(RunGraph graph) {
    if (graph == graph_) return;
    graph_ = std::move(graph);
    const QString words =
        tr("%1: each disc is a rank; a line joins two ranks that mix with each other, an arrow points "
           "to the one that hears the other")
            .arg(graph_.inWords());
    setToolTip(words);
    setAccessibleName(words);
    update();
}

void GraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (graph_.ranks > 0) paintGraph(painter, rect().adjusted(1, 1, -1, -1), graph_, screenPlotStyle(look_.theme()));
}

}  // namespace dasgd::gui
