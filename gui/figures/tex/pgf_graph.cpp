// A graph of gossip as a TikZ picture: ranks on a circle, lines and arrows between them.
#include <QTextStream>

#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"

namespace dasgd::gui {

namespace {

constexpr double kTexRadius = 68;  // points

QString texPlace(QPointF at) {
    return QStringLiteral("(%1pt,%2pt)").arg(kTexRadius * at.x(), 0, 'f', 3).arg(-kTexRadius * at.y(), 0, 'f', 3);
}

}  // namespace

QString graphPicture(const FigureContent& content, const FigureSpec& spec) {
    const RunGraph& graph = *content.graph;
    QString out;
    QTextStream text(&out);
    text << "\\begin{tikzpicture}[font=" << fontCommand(spec.tickSize()) << "]\n";
    const bool numbered = graph.ranks <= 40;
    for (int rank = 0; rank < graph.ranks; ++rank) {
        text << "\\node[circle, draw, inner sep="
             << (numbered ? "1pt, minimum size=10pt" : "0pt, minimum size=3pt, fill") << "] (rank" << rank << ") at "
             << texPlace(placeOnCircle(rank, graph.ranks)) << " {" << (numbered ? QString::number(rank) : QString())
             << "};\n";
    }
    for (const RunGraph::Edge& edge : graph.edges) {
        text << "\\draw[curve0, line width=0.6pt" << (edge.mutual ? "" : ", -latex") << "] (rank" << edge.from
             << ") -- (rank" << edge.to << ");\n";
    }
    text << "\\end{tikzpicture}";
    text.flush();
    return out;
}

}  // namespace dasgd::gui
