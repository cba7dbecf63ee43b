#include "gui/kit/curves/run_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <utility>

#include "core/base/schema/toml_reader.h"
#include "core/graphs/graph.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// [graph] of the recorded configuration; nullopt where there is none.
std::optional<Value> graphTableOf(const storage::RunRow& run) {
    const auto config = parseToml(run.config, "config");
    const Value* table = config ? config->find("graph") : nullptr;
    return table && table->isTable() ? std::optional(*table) : std::nullopt;
}

std::vector<RunGraph::Edge> edgesOf(const Graph& graph, const GraphRound& round) {
    std::map<std::pair<int, int>, double> weights;  // by from and to
    for (int to = 0; to < round.size; ++to) {
        for (const auto& [from, weight] : graph.mix(round, to).from) weights[{from.value(), to}] += weight;
    }
    std::vector<RunGraph::Edge> edges;
    for (const auto& [ends, weight] : weights) {
        const auto [from, to] = ends;
        const auto back = weights.find({to, from});
        const bool mutual = back != weights.end() && back->second == weight;
        if (!mutual || from < to) edges.push_back({from, to, weight, mutual});
    }
    return edges;
}

}  // namespace

QString RunGraph::inWords() const {
    QString words = QStringLiteral("%1 of %2").arg(name, counted(ranks, "rank"));
    if (period != 1) words += QStringLiteral(", round %1").arg(round);
    if (period > 1) words += QStringLiteral(" of every %1").arg(period);
    return words;
}

bool mixesOverGraph(const storage::RunRow& run) { return graphTableOf(run).has_value(); }

std::optional<RunGraph> graphOf(const storage::RunRow& run, std::int64_t round) {
    const auto table = graphTableOf(run);
    const Value* name = table ? table->find("name") : nullptr;
    const auto* entry = name && name->as<std::string>() ? GraphRegistry::find(*name->as<std::string>()) : nullptr;
    if (!entry || run.workers < 1 || run.workers > RunGraph::kMostRanks) return std::nullopt;
    const auto graph = entry->create(*table, {"name"});
    // A graph that these ranks cannot have may not answer for all of them.
    if (!graph || (*graph)->check(run.workers)) return std::nullopt;
    const GraphRound which{.number = round, .size = run.workers, .seed = static_cast<std::uint64_t>(run.seed)};
    return RunGraph{.name = QString::fromStdString(*name->as<std::string>()),
                    .ranks = run.workers,
                    .round = round,
                    .period = (*graph)->period(run.workers),
                    .edges = edgesOf(**graph, which)};
}

QPointF placeOnCircle(int rank, int ranks) {
    if (ranks == 1) return {0, 0};
    const double turn = 2 * std::numbers::pi * rank / ranks;
    return {std::sin(turn), -std::cos(turn)};
}

}  // namespace dasgd::gui
