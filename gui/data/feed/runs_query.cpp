#include "gui/data/feed/runs_query.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/base/workspace.h"
#include "storage/read/effective_status.h"

namespace dasgd::gui {

namespace {

// A small first part arrives soon; the rest needs few updates of the list.
constexpr std::size_t kFirstRuns = 100, kRunsAtOnce = 1000;

bool sameRow(const storage::RunRow& a, const storage::RunRow& b) {
    return a.status == b.status && a.steps == b.steps && a.wallS == b.wallS && a.samples == b.samples &&
           a.finalLoss == b.finalLoss && a.lossIsNaN == b.lossIsNaN && a.bestAccuracy == b.bestAccuracy &&
           a.hidden == b.hidden && a.blockedS == b.blockedS && a.measuredS == b.measuredS &&
           a.samplesPerS == b.samplesPerS && a.error == b.error && a.stepMs == b.stepMs && a.bytesSent == b.bytesSent &&
           a.startedAt == b.startedAt && a.series == b.series && a.queueTurn == b.queueTurn && a.held == b.held;
}

bool hasCheckpoint(const std::filesystem::path& workspace, const storage::RunRow& row) {
    if (!hasEndedEarly(row)) return false;
    std::error_code none;
    const auto folder = storage::WorkspacePaths{workspace}.checkpoints(row.runId);
    return std::filesystem::is_directory(folder, none) && !std::filesystem::is_empty(folder, none);
}

}  // namespace

void RunsQuery::report(std::vector<RunItemPtr> changed, QStringList removed) {
    reported_ = true;
    deliver(
        [this, changed = std::move(changed), removed = std::move(removed)] { emit this->changed(changed, removed); });
}

Result<bool> RunsQuery::anyLost(LiveStore& store) {
    if (!heartbeat_.due()) return false;
    const qint64 begun = heartbeat_.now();
    bool any = false;
    for (const auto& [id, run] : store.runs()) {
        if (!isLive(run->row)) continue;
        DASGD_ASSIGN(const auto end, store.reader().runs().lost(run->row.runId));
        if (!end) continue;
        lost_[run->row.runId] = {run->row.startedAt, *end};
        any = true;
    }
    heartbeat_.spent(heartbeat_.now() - begun);
    return any;
}

Status RunsQuery::settle(LiveStore& store, storage::RunRow& row, bool isNew) {
    auto found = lost_.find(row.runId);
    if (found != lost_.end() && (!isLive(row) || found->second.first != row.startedAt)) {
        lost_.erase(found);
        found = lost_.end();
    }
    if (!isLive(row)) return {};
    if (found == lost_.end()) {
        if (!isNew) return {};
        DASGD_ASSIGN(const auto end, store.reader().runs().lost(row.runId));
        if (!end) return {};
        found = lost_.insert_or_assign(row.runId, std::pair(row.startedAt, *end)).first;
    }
    storage::endAs(found->second.second, row);
    return {};
}

Status RunsQuery::refresh(LiveStore& store) {
    // Changes of notes are delivered at once, without the interval, as the user waits for them.
    const bool newNotes = std::exchange(notesRevision_, store.notesRevision()) != store.notesRevision();
    DASGD_ASSIGN(const bool newLost, anyLost(store));
    if (!newNotes && !newLost && !fresh_.due(store)) return {};
    fresh_.begin(store);
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, store.reader().runs().list());
    const LiveStore::Runs& known = store.runs();
    LiveStore::Runs next;
    std::vector<RunItemPtr> changed;
    bool watchedChanged = false;
    for (storage::RunRow& row : rows) {
        const QString id = QString::fromStdString(row.runId);
        const auto old = known.find(id);
        DASGD_TRY(settle(store, row, old == known.end()));
        const storage::RunNotes& notes = store.notesOf(row.runId);
        if (old != known.end() && sameRow(old->second->row, row) && old->second->notes == notes) {
            next.insert(*old);
            continue;
        }
        watchedChanged = watchedChanged || store.watch().contains(id);
        const bool saved = hasCheckpoint(store.workspace(), row);
        changed.push_back(maker_.make(std::move(row), notes, saved));
        next[id] = changed.back();
        if (changed.size() == (reported_ ? kRunsAtOnce : kFirstRuns)) report(std::exchange(changed, {}), {});
    }
    QStringList removed;
    for (const auto& [id, item] : known) {
        if (!next.contains(id)) removed << id;
    }
    store.setRuns(std::move(next));
    // Other queries may still treat a run as live that has ended.
    if (watchedChanged) store.touch();
    fresh_.end();
    fresh_.pass(store);
    if (!changed.empty() || !removed.isEmpty() || !reported_) report(std::move(changed), std::move(removed));
    return {};
}

void RunsQuery::refreshUnused() {
    if (!reported_) report({}, {});
}

}  // namespace dasgd::gui
