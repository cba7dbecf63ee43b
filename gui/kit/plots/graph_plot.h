// A graph of gossip: ranks on a circle, and the edges of a round. An edge both ways is a line, one way an arrow.
// Painted from plain data, on the screen and on paper alike.
#pragma once

#include <QRectF>

#include "gui/kit/curves/run_graph.h"
#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

// Paints into a square in the middle of `area`.
void paintGraph(QPainter& painter, const QRectF& area, const RunGraph& graph, const PlotStyle& style);

// Places of a painted graph, in the units of `area`.
struct GraphPlaces {
    QPointF centre;
    double radius = 0;      // of the circle on which the ranks are
    double node = 0;        // radius of a rank's disc
    bool numbered = false;  // the discs have room for the ranks' numbers
    [[nodiscard]] QPointF of(int rank, int ranks) const { return centre + radius * placeOnCircle(rank, ranks); }
};
[[nodiscard]] GraphPlaces graphPlaces(const QRectF& area, int ranks, const PlotStyle& style);

// Graph as a widget, with its words as a tool tip and for screen readers.
class GraphView : public QWidget {
    Q_OBJECT

public:
    explicit GraphView(const Look& look, QWidget* parent = nullptr);
    void setGraph(RunGraph graph);
    [[nodiscard]] const RunGraph& graph() const { return graph_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    RunGraph graph_;
};

}  // namespace dasgd::gui
