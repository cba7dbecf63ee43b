// A workspace to be written: its runs are added, taken from the queue and given up here. What their ranks record is
// taken in by storage/write/recorder.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "storage/base/workspace.h"
#include "storage/runs/run_info.h"

namespace dasgd::storage {

// The place of a run that waits: the run with the smallest turn starts next, a held run does not start.
struct QueuePlace {
    std::string runId;
    double turn = 0;
    bool held = false;
    bool operator==(const QueuePlace&) const = default;
};

// A writable workspace: creates and migrates lab.db, and on opening takes in what dead owners left behind: their
// journals are read to the end and the run becomes `interrupted` (or what its ranks had said). Owners hold a shared
// flock(owner.lock): the Store from addRun() on, the Recorder from start() to finish(). Use from one thread.
class Store {
public:
    // Errors: unwritable or missing parent, a newer schema, a network file system.
    static Result<Store> open(const std::filesystem::path& workspace);
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // A new id, unique in the workspace: "20261121-120301-dasgd-4f2a".
    [[nodiscard]] std::string newRunId(const std::string& algorithm) const;
    // Writes the row as `queued`, makes the run folder and owns the run, unless it has an entry in the queue. Where the
    // id is known already (another rank started by hand was first), it joins that run; another configuration or number
    // of workers is an error.
    Status addRun(const RunInfo& info);
    // Takes ownership of a run that waits in the queue, to start it. Its host, cpu, hardware and versions become those
    // of `where`. Errors: it does not wait there any more, or another process owns it.
    Status takeFromQueue(const std::string& runId, const RunInfo& where);
    // The argument with which addRun() added a run, without its place in the queue.
    [[nodiscard]] Result<RunInfo> infoOf(const std::string& runId);
    // Changes the instant 0 of the run that addRun() wrote: raw CLOCK_MONOTONIC of this host.
    Status setClockOrigin(const std::string& runId, Ns clockOrigin);
    // Writes the places at which runs of a series wait, in one transaction. Runs that do not wait are passed over.
    Status setQueue(const std::vector<QueuePlace>& places);
    // Ends a run that was added and will not be started, with `status` (interrupted, failed, …) and the reason `error`.
    Status abandonRun(const std::string& runId, const std::string& status, const std::string& error);
    // Deletes a run that has ended for good: its rows, its notes and its folder. Answers the bytes of its files. A kill
    // at any moment leaves the run whole or gone, once the workspace is opened again. Errors: as checkDeletable(); a
    // process of it is still there; the folder cannot be removed, which the next open() tries again.
    Result<std::uintmax_t> deleteRun(const std::string& runId);
    // Errors: no such run; it is under way, waits, or is in the queue; a run under way resumes its checkpoint.
    Status checkDeletable(const std::string& runId);
    // Gives the room of deleted rows back to the disk and answers its bytes; nullopt, with nothing done, while runs are
    // under way, whose records would have to wait: the room is then used by later records. Errors: no room on the disk
    // for a second lab.db meanwhile.
    Result<std::optional<std::uintmax_t>> compact();
    // Number of runs of dead owners that open() took in.
    [[nodiscard]] int recovered() const;
    [[nodiscard]] const WorkspacePaths& paths() const;

private:
    friend class Recorder;
    friend class ImportedRun;
    class Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Bytes of all files below a folder; 0 where there is none.
[[nodiscard]] std::uintmax_t bytesOfFiles(const std::filesystem::path& folder);

}  // namespace dasgd::storage
