#include "gui/runs/model/facts_query.h"

#include <utility>

#include "storage/base/workspace.h"

namespace dasgd::gui {

void FactsQuery::want(const QStringList& runs) {
    {
        const std::lock_guard lock(mutex_);
        wanted_ = runs.mid(0, kMostRuns);
        wishedAnew_ = true;
    }
    ask();
}

Status FactsQuery::refresh(LiveStore& store) {
    QStringList wanted;
    bool wishedAnew = false;
    {
        const std::lock_guard lock(mutex_);
        wanted = wanted_;
        wishedAnew = std::exchange(wishedAnew_, false);
    }
    if (!wishedAnew && (wanted.isEmpty() || revision_ == store.revision() || !interval_.due())) return {};
    const qint64 begun = interval_.now();
    std::vector<RunFacts> facts;
    for (const QString& run : wanted) {
        if (!store.runs().contains(run)) continue;
        DASGD_ASSIGN(storage::RunDetail detail, store.reader().run(run.toStdString()));
        RunFiles files = filesOf(storage::WorkspacePaths{store.workspace()}.run(detail.row.runId));
        facts.push_back({.detail = std::move(detail), .files = std::move(files)});
    }
    interval_.spent(interval_.now() - begun);
    revision_ = store.revision();
    deliver([this, facts = std::move(facts)] { emit arrived(facts); });
    return {};
}

}  // namespace dasgd::gui
