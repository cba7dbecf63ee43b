#include "gui/figures/content/graph_figure.h"

#include <QTextStream>
#include <algorithm>
#include <map>

#include "gui/data/runs/run_config.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// Every edge in both directions, by `to`, then `from`.
std::map<int, std::map<int, double>> heardOf(const RunGraph& graph) {
    std::map<int, std::map<int, double>> heard;
    for (const RunGraph::Edge& edge : graph.edges) {
        heard[edge.to][edge.from] = edge.weight;
        if (edge.mutual) heard[edge.from][edge.to] = edge.weight;
    }
    return heard;
}

FigureTable graphTable(const RunGraph& graph) {
    FigureTable table{.columns = {QStringLiteral("rank"), QStringLiteral("hears"), QStringLiteral("own weight")}};
    const auto heard = heardOf(graph);
    for (int rank = 0; rank < graph.ranks; ++rank) {
        QStringList from;
        double own = 1;
        if (const auto known = heard.find(rank); known != heard.end()) {
            for (const auto& [other, weight] : known->second) {
                from << QString::number(other);
                own -= weight;
            }
        }
        table.rows.push_back(
            {QString::number(rank), from.isEmpty() ? kAbsent : from.join(QStringLiteral(", ")), shortNumber(own, 4)});
    }
    return table;
}

QString graphCsv(const RunGraph& graph) {
    QString out;
    QTextStream text(&out);
    text << "round,from,to,weight\n";
    for (const auto& [to, all] : heardOf(graph)) {
        for (const auto& [from, weight] : all) {
            text << graph.round << ',' << from << ',' << to << ',' << csvNumber(weight) << '\n';
        }
    }
    text.flush();
    return out;
}

}  // namespace

void takeGraph(const FigureSpec& spec, std::span<const RunItemPtr> runs, FigureContent& into) {
    const auto mixing = std::ranges::find_if(runs, [](const RunItemPtr& run) { return mixesOverGraph(run->row); });
    if (mixing == runs.end()) {
        into.nothing = QStringLiteral("None of these runs mixes over a graph: choose one of gossip, as gossip_sgd.");
        return;
    }
    const RunItemPtr& run = *mixing;
    into.graph = graphOf(run->row, spec.round);
    if (!into.graph) {
        into.nothing =
            QStringLiteral("The graph of %1 is not drawn: it has more than %2 ranks, or is of a newer program.")
                .arg(run->id)
                .arg(RunGraph::kMostRanks);
        return;
    }
    into.notes.prepend(into.graph->inWords());
    into.table = graphTable(*into.graph);
    into.csv = graphCsv(*into.graph);
    const QString name = runTitle(run->row);
    into.sources.push_back({curveKey(*run), name, name, {}, {run}, {true}});
}

}  // namespace dasgd::gui
