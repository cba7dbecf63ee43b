#include "gui/data/feed/notes_query.h"

#include <utility>

#include "core/base/log.h"

namespace dasgd::gui {

NotesQuery::~NotesQuery() {
    if (workspace_.empty()) return;
    for (const Request& request : requests_.take()) {
        if (const auto done = write(request); !done) logLine(LogLevel::Error, done.error().message);
    }
}

int NotesQuery::change(const QStringList& runs, const storage::NotesChange& change, const QString& words) {
    Request request{.number = ++lastNumber_, .change = change, .words = words};
    for (const QString& run : runs) request.runs.push_back(run.toStdString());
    requests_.change([&](std::vector<Request>& all) { all.push_back(std::move(request)); });
    return lastNumber_;
}

void NotesQuery::undo() {
    requests_.change([](std::vector<Request>& all) { all.push_back({.isUndo = true}); });
}

// Errors in the notes are reported by failed() and do not close the store.
Status NotesQuery::refresh(LiveStore& store) {
    workspace_ = store.workspace();
    for (const Request& request : requests_.take()) carryOut(request);
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
        deliver([this, words = *done, undone = request.isUndo] { emit changed(words, undone); });
    }
    if (request.isUndo) return;
    deliver([this, number = request.number, kept = done.has_value()] { emit answered(number, kept); });
}

// Returns a description of the change; "" if nothing changed.
Result<QString> NotesQuery::write(const Request& request) {
    if (request.isUndo) {
        if (done_.empty()) return tr("There is nothing to undo");
        DASGD_TRY(storage::undoNotes(workspace_, done_.back().edit));
        const QString words = tr("Undone: %1").arg(done_.back().words);
        done_.pop_back();
        return words;
    }
    DASGD_ASSIGN(storage::NotesEdit edit, storage::changeNotes(workspace_, request.runs, request.change));
    if (edit.after.empty()) return QString();
    if (done_.size() == kMostUndone) done_.erase(done_.begin());
    done_.push_back({std::move(edit), request.words});
    return request.words;
}

}  // namespace dasgd::gui
