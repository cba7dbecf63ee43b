#include "gui/models/live/runs_query.h"

#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::size_t kRunsAtOnce = 1000;

bool sameRow(const storage::RunRow& a, const storage::RunRow& b) {
    return a.status == b.status && a.steps == b.steps && a.wallS == b.wallS && a.samples == b.samples &&
           a.finalLoss == b.finalLoss && a.lossIsNaN == b.lossIsNaN && a.bestAccuracy == b.bestAccuracy &&
           a.hidden == b.hidden && a.blockedS == b.blockedS && a.measuredS == b.measuredS &&
           a.samplesPerS == b.samplesPerS && a.error == b.error && a.stepMs == b.stepMs && a.bytesSent == b.bytesSent &&
           a.startedAt == b.startedAt && a.series == b.series && a.queueTurn == b.queueTurn && a.held == b.held;
}

}  // namespace

void RunsQuery::report(std::vector<RunItemPtr> changed, QStringList removed) {
    reported_ = true;
    deliver(
        [this, changed = std::move(changed), removed = std::move(removed)] { emit this->changed(changed, removed); });
}

Status RunsQuery::refresh(LiveStore& store) {
    // Who marks a run sees it at once.
    const bool newNotes = std::exchange(notesRevision_, store.notesRevision()) != store.notesRevision();
    if (!newNotes && (revision_ == store.revision() || !interval_.due())) return {};
    const qint64 begun = interval_.now();
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, store.reader().runs());
    const LiveStore::Runs& known = store.runs();
    LiveStore::Runs next;
    std::vector<RunItemPtr> changed;
    bool watchedChanged = false;
    for (storage::RunRow& row : rows) {
        const QString id = QString::fromStdString(row.runId);
        const auto old = known.find(id);
        const storage::RunNotes& notes = store.notesOf(row.runId);
        if (old != known.end() && sameRow(old->second->row, row) && old->second->notes == notes) {
            next.insert(*old);
            continue;
        }
        watchedChanged = watchedChanged || store.watch().contains(id);
        changed.push_back(maker_.make(std::move(row), notes));
        next[id] = changed.back();
        if (changed.size() == kRunsAtOnce) report(std::exchange(changed, {}), {});
    }
    QStringList removed;
    for (const auto& [id, item] : known) {
        if (!next.contains(id)) removed << id;
    }
    store.setRuns(std::move(next));
    // Other queries may have read on as if a run were live that has ended.
    if (watchedChanged) store.touch();
    revision_ = store.revision();
    interval_.spent(interval_.now() - begun);
    if (!changed.empty() || !removed.isEmpty() || !reported_) report(std::move(changed), std::move(removed));
    return {};
}

void RunsQuery::refreshUnused() {
    if (!reported_) report({}, {});
}

}  // namespace dasgd::gui
