#include "gui/data/feed/live_store.h"

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

// A folder in which nothing has been run is an empty workspace, not a broken one. The first run creates lab.db, which
// is empty until its tables are written.
bool LiveStore::isUnused() const {
    std::error_code code;
    const std::filesystem::path database = workspace_ / "lab.db";
    if (!std::filesystem::exists(database, code)) return !code && std::filesystem::is_directory(workspace_, code);
    return std::filesystem::file_size(database, code) == 0;
}

Result<LiveStore::State> LiveStore::open() {
    if (reader_) return State::Open;
    if (!attempts_.due()) return State::Waiting;
    attempts_.spent(0);
    if (isUnused()) return State::Unused;
    auto opened = storage::RunReader::open(workspace_);
    if (!opened) return tl::unexpected<Error>(std::move(opened).error());
    reader_.emplace(std::move(*opened));
    version_ = -1;
    return State::Open;
}

Status LiveStore::update() {
    DASGD_ASSIGN(const std::int64_t version, reader_->dataVersion());
    if (std::exchange(version_, version) != version) touch();
    return {};
}

}  // namespace dasgd::gui
