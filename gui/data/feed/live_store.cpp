#include "gui/data/feed/live_store.h"

#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "gui/data/spans/span_cache.h"

namespace dasgd::gui {

void LiveStore::setWatch(Watch watch) {
    if (watch == watch_) return;
    touch();
    if (watch.run != watch_.run) runSince_ = revision_;
    std::map<QString, std::int64_t> since;
    for (const QString& run : watch.runs()) {
        const auto known = since_.find(run);
        since[run] = known == since_.end() ? revision_ : known->second;
    }
    since_ = std::move(since);
    watch_ = std::move(watch);
}

void LiveStore::setRuns(Runs runs) {
    for (const auto& [id, run] : runs) {
        const auto known = runs_.find(id);
        const bool wasLive = known != runs_.end() && dasgd::gui::isLive(known->second->row);
        if (wasLive && !dasgd::gui::isLive(run->row)) ++endings_;
    }
    runs_ = std::move(runs);
}

bool LiveStore::isLive(const QString& run) const {
    const auto found = runs_.find(run);
    return found == runs_.end() || dasgd::gui::isLive(found->second->row);
}

const storage::RunNotes& LiveStore::notesOf(const std::string& run) const {
    static const storage::RunNotes kNone;
    const auto found = notes_.find(run);
    return found == notes_.end() ? kNone : found->second;
}

const SpanCache* LiveStore::spansOf(const std::string& run) const {
    return spans_ && spans_->runId() == run ? spans_ : nullptr;
}

void LiveStore::setNotes(storage::NotesOfRuns notes) {
    notes_ = std::move(notes);
    ++notesRevision_;
}

// A folder in which nothing has been run is an empty workspace, not a broken one, and so is one that the first run will
// make. That run creates lab.db, which is empty until its tables are written.
bool LiveStore::isUnused() const {
    std::error_code code;
    if (std::filesystem::exists(database(), code)) return std::filesystem::file_size(database(), code) == 0;
    const auto folder = std::filesystem::status(workspace_, code).type();
    using std::filesystem::file_type;
    return folder == file_type::directory || folder == file_type::not_found;
}

Result<LiveStore::State> LiveStore::open() {
    if (reader_) return State::Open;
    if (!attempts_.due()) return State::Waiting;
    attempts_.spent(0);
    DASGD_TRY(checkPresence());
    if (!opened_ && isUnused()) return State::Unused;
    const auto file = fileAt(database());
    auto opened = storage::WorkspaceReader::open(workspace_);
    if (!opened) return tl::unexpected<Error>(std::move(opened).error());
    reader_.emplace(std::move(*opened));
    opened_ = file;
    version_ = -1;
    return State::Open;
}

std::optional<LiveStore::FileId> LiveStore::fileAt(const std::filesystem::path& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return std::nullopt;
    return FileId(found.st_dev, found.st_ino);
}

// SQLite goes on reading a database that was deleted.
Status LiveStore::checkPresence() const {
    if (!opened_ || fileAt(database())) return {};
    return fail("the workspace " + workspace_.string() +
                " was deleted or moved while it was open; it is shown again once it is back");
}

Status LiveStore::update() {
    if (looks_.due()) {
        looks_.spent(0);
        DASGD_TRY(checkPresence());
        if (fileAt(database()) != opened_) {
            return fail("the workspace " + workspace_.string() + " was replaced while it was open; it is read anew");
        }
    }
    DASGD_ASSIGN(const std::int64_t version, reader_->dataVersion());
    if (std::exchange(version_, version) != version) touch();
    return {};
}

}  // namespace dasgd::gui
