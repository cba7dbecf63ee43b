#include "gui/runs/model/facts_query.h"

#include <utility>

#include "storage/base/workspace.h"

namespace dasgd::gui {

void FactsQuery::want(const QStringList& runs) { wanted_.set(runs.mid(0, kMostRuns)); }

Status FactsQuery::refresh(LiveStore& store) {
    const auto [wanted, areNew] = wanted_.look();
    if (!areNew && (wanted.isEmpty() || !fresh_.due(store))) return {};
    fresh_.begin(store);
    std::vector<RunFacts> facts;
    for (const QString& run : wanted) {
        if (!store.runs().contains(run)) continue;
        DASGD_ASSIGN(storage::RunDetail detail, store.reader().runs().detail(run.toStdString()));
        RunFiles files = filesOf(storage::WorkspacePaths{store.workspace()}.run(detail.row.runId));
        facts.push_back({.detail = std::move(detail), .files = std::move(files)});
    }
    fresh_.end();
    deliver([this, facts = std::move(facts)] { emit arrived(facts); });
    return {};
}

}  // namespace dasgd::gui
