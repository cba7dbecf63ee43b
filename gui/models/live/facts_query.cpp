#include "gui/models/live/facts_query.h"

#include <utility>

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
    std::vector<storage::RunDetail> details;
    for (const QString& run : wanted) {
        if (!store.runs().contains(run)) continue;
        DASGD_ASSIGN(storage::RunDetail detail, store.reader().run(run.toStdString()));
        details.push_back(std::move(detail));
    }
    interval_.spent(interval_.now() - begun);
    revision_ = store.revision();
    deliver([this, details = std::move(details)] { emit arrived(details); });
    return {};
}

}  // namespace dasgd::gui
