// The workspace as seen by the queries of a Feed: an open reader, the list of runs, and the watched run.
#pragma once

#include <sys/types.h>

#include <QElapsedTimer>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "gui/data/runs/run_item.h"
#include "storage/notes/run_notes.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::gui {

class SpanCache;

// Spaces the runs of an expensive query: the pause is a multiple of the last cost, at least `leastMs` and at most
// `mostMs`.
class RefreshInterval {
public:
    RefreshInterval(qint64 leastMs, qint64 timesCost, qint64 mostMs = 60'000)
        : leastMs_(leastMs), timesCost_(timesCost), mostMs_(mostMs) {
        clock_.start();
    }
    [[nodiscard]] bool due() const { return clock_.elapsed() >= next_; }
    void hurry() { next_ = 0; }
    void spent(qint64 costMs) { next_ = clock_.elapsed() + std::clamp(timesCost_ * costMs, leastMs_, mostMs_); }
    [[nodiscard]] qint64 now() const { return clock_.elapsed(); }

private:
    QElapsedTimer clock_;
    qint64 leastMs_, timesCost_, mostMs_;
    qint64 next_ = 0;
};

// The run shown in the window, and those drawn with it.
struct Watch {
    QString run;  // "" while no run is watched
    QStringList others;
    // All of them, the watched run first.
    [[nodiscard]] QStringList runs() const { return run.isEmpty() ? others : QStringList{run} + others; }
    [[nodiscard]] bool contains(const QString& id) const { return id == run || others.contains(id); }
    bool operator==(const Watch&) const = default;
};

// Used on the reader's thread only.
class LiveStore {
public:
    using Runs = std::map<QString, RunItemPtr>;

    explicit LiveStore(std::filesystem::path workspace) : workspace_(std::move(workspace)) {}

    [[nodiscard]] const std::filesystem::path& workspace() const { return workspace_; }
    // Valid from the time that open() has answered Open until close().
    [[nodiscard]] storage::WorkspaceReader& reader() { return *reader_; }

    // Grows whenever records were committed or the watch changed. A query that stores the revision it has read has
    // nothing to read until it grows.
    [[nodiscard]] std::int64_t revision() const { return revision_; }
    // Makes all queries read again.
    void touch() { ++revision_; }

    [[nodiscard]] const Watch& watch() const { return watch_; }
    void setWatch(Watch watch);
    // The revision at which the run became the watched one, or `run` one of the watched ones. Results delivered of it
    // before are discarded by then.
    [[nodiscard]] std::int64_t watchedSince() const { return runSince_; }
    [[nodiscard]] std::int64_t watchedSince(const QString& run) const { return since_.at(run); }

    // Set by RunsQuery; a run may be in the store and not yet here.
    [[nodiscard]] const Runs& runs() const { return runs_; }
    void setRuns(Runs runs);
    // Number of live runs that were seen to end. A query that sees the number grow reads the end at once, without
    // waiting for its interval.
    [[nodiscard]] std::int64_t endings() const { return endings_; }
    // Set by NotesQuery: stars, tags and notes of users; the revision grows when they change.
    [[nodiscard]] const storage::RunNotes& notesOf(const std::string& run) const;
    [[nodiscard]] std::int64_t notesRevision() const { return notesRevision_; }
    void setNotes(storage::NotesOfRuns notes);
    // Spans that TimelineQuery has read of the run; null if it has read none.
    [[nodiscard]] const SpanCache* spansOf(const std::string& run) const;
    void setSpans(const SpanCache* spans) { spans_ = spans; }
    // A run that is not known yet counts as live.
    [[nodiscard]] bool isLive(const QString& run) const;

    enum class State {
        Waiting,  // the last attempt to open failed a moment ago
        Unused,   // nothing has been run in this folder, or it is not there yet
        Open
    };
    // Opens the workspace unless it is open. Errors describe the fault and the remedy.
    Result<State> open();
    // Notices commits since the last call. Errors: within a second or so, that the workspace was deleted, moved or
    // replaced. Call only while open.
    Status update();
    void close() { reader_.reset(); }

private:
    using FileId = std::pair<dev_t, ino_t>;
    [[nodiscard]] static std::optional<FileId> fileAt(const std::filesystem::path& path);
    [[nodiscard]] std::filesystem::path database() const { return workspace_ / "lab.db"; }
    [[nodiscard]] bool isUnused() const;
    // Error if lab.db was open once and is gone.
    [[nodiscard]] Status checkPresence() const;

    const std::filesystem::path workspace_;
    std::optional<storage::WorkspaceReader> reader_;
    std::optional<FileId> opened_;  // lab.db as it was opened last
    RefreshInterval looks_{1000, 1};
    RefreshInterval attempts_{500, 1};
    std::int64_t version_ = -1;
    std::int64_t revision_ = 0;
    Watch watch_;
    std::int64_t runSince_ = 0;
    std::map<QString, std::int64_t> since_;
    Runs runs_;
    std::int64_t endings_ = 0;
    storage::NotesOfRuns notes_;
    const SpanCache* spans_ = nullptr;
    std::int64_t notesRevision_ = 0;
};

}  // namespace dasgd::gui
