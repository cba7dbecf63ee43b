#include "gui/models/notes/notes_query.h"

#include <utility>

namespace dasgd::gui {

NotesQuery::~NotesQuery() {
    if (workspace_.empty()) return;
    for (const Request& request : requests_) (void)write(request);
}

void NotesQuery::change(const QStringList& runs, const storage::NotesChange& change, const QString& words) {
    if (runs.isEmpty()) return;
    Request request{.change = change, .words = words};
    for (const QString& run : runs) request.runs.push_back(run.toStdString());
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
    }
    ask();
}

void NotesQuery::undo() {
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back({.isUndo = true});
    }
    ask();
}

// What is wrong with the notes is said, and is no reason to close the records.
Status NotesQuery::refresh(LiveStore& store) {
    std::vector<Request> requests;
    {
        const std::lock_guard lock(mutex_);
        requests = std::exchange(requests_, {});
    }
    workspace_ = store.workspace();
    for (const Request& request : requests) carryOut(request);
    if (!reader_) reader_.emplace(workspace_);
    const auto changed = reader_->refresh();
    const QString complaint = changed ? QString() : QString::fromStdString(changed.error().message);
    if (std::exchange(complaint_, complaint) != complaint && !complaint.isEmpty()) {
        deliver([this, complaint] { emit failed(complaint); });
    }
    if (changed && *changed) store.setNotes(reader_->notes());
    return {};
}

void NotesQuery::carryOut(const Request& request) {
    const auto done = write(request);
    if (!done) {
        deliver([this, message = QString::fromStdString(done.error().message)] { emit failed(message); });
    } else if (!done->isEmpty()) {
        deliver([this, words = *done] { emit changed(words); });
    }
}

// What was done in words; "" where nothing changed.
Result<QString> NotesQuery::write(const Request& request) {
    if (request.isUndo) {
        if (done_.empty()) return tr("There is nothing to undo");
        DASGD_TRY(storage::setNotes(workspace_, done_.back().before));
        const QString words = tr("Undone: %1").arg(done_.back().words);
        done_.pop_back();
        return words;
    }
    DASGD_ASSIGN(storage::NotesOfRuns before, storage::changeNotes(workspace_, request.runs, request.change));
    if (before.empty()) return QString();
    if (done_.size() == kMostUndone) done_.erase(done_.begin());
    done_.push_back({std::move(before), request.words});
    return request.words;
}

}  // namespace dasgd::gui
