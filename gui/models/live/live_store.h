// The workspace as the queries of a Feed see it: an open reader, which runs there are, and which one is watched.
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "gui/models/runs/run_item.h"
#include "storage/notes/run_notes.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

class SpanCache;

// Limits how often an expensive query runs: no sooner than a multiple of what it cost the last time, but at the latest
// after `mostMs`.
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

// The run that is looked at, and those that are drawn with it.
struct Watch {
    QString run;  // "" while no run is watched
    QStringList others;
    // All of them, the run first.
    [[nodiscard]] QStringList runs() const { return run.isEmpty() ? others : QStringList{run} + others; }
    [[nodiscard]] bool contains(const QString& id) const { return id == run || others.contains(id); }
    bool operator==(const Watch&) const = default;
};

// Reader's thread only.
class LiveStore {
public:
    using Runs = std::map<QString, RunItemPtr>;

    explicit LiveStore(std::filesystem::path workspace) : workspace_(std::move(workspace)) {}

    [[nodiscard]] const std::filesystem::path& workspace() const { return workspace_; }
    // Valid while open.
    [[nodiscard]] storage::RunReader& reader() { return *reader_; }
    [[nodiscard]] bool isOpen() const { return reader_.has_value(); }

    // Grows whenever records were committed, or the watch changed. A query that keeps the revision that it has read has
    // nothing to read until it grows.
    [[nodiscard]] std::int64_t revision() const { return revision_; }
    // What is derived from the store is to be read again.
    void touch() { ++revision_; }

    [[nodiscard]] const Watch& watch() const { return watch_; }
    void setWatch(Watch watch);
    // The revision at which the run became the watched one, or `run` one of those watched. What was delivered of it
    // before is gone.
    [[nodiscard]] std::int64_t watchedSince() const { return runSince_; }
    [[nodiscard]] std::int64_t watchedSince(const QString& run) const { return since_.at(run); }

    // As RunsQuery read them; a run may be in the store and not yet here.
    [[nodiscard]] const Runs& runs() const { return runs_; }
    void setRuns(Runs runs);
    // How many runs have ended since they were here as live. A query that keeps the number that it has seen knows when
    // it differs that there is an end to read, and does not wait for its interval.
    [[nodiscard]] std::int64_t endings() const { return endings_; }
    // What people say of runs, as NotesQuery read it; the revision grows when it changes.
    [[nodiscard]] const storage::RunNotes& notesOf(const std::string& run) const;
    [[nodiscard]] std::int64_t notesRevision() const { return notesRevision_; }
    void setNotes(storage::NotesOfRuns notes);
    // What TimelineQuery has read of the spans of a run; null where it has read none of this one.
    [[nodiscard]] const SpanCache* spansOf(const std::string& run) const;
    void setSpans(const SpanCache* spans) { spans_ = spans; }
    // A run that is not known yet counts as live.
    [[nodiscard]] bool isLive(const QString& run) const;

    enum class State {
        Waiting,  // the last attempt to open failed a moment ago
        Unused,   // nothing has been run in this folder
        Open
    };
    // Opens the workspace unless it is open. Errors: what is wrong with it, and what to do.
    Result<State> open();
    // Notices what was committed since the last call. Only while open.
    Status update();
    void close() { reader_.reset(); }

private:
    [[nodiscard]] bool isUnused() const;

    const std::filesystem::path workspace_;
    std::optional<storage::RunReader> reader_;
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
