// The workspace's queue: runs that belong to no process while they wait, and outlive every process and a reboot. An
// entry is one training that is to come to its end; its run is replaced by the next of the lineage where it has to go
// on. `dasgd queue work` (experiments/run/queue) is the only one who starts them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "storage/base/workspace.h"

namespace SQLite {
class Database;
}

namespace dasgd::storage {

class WriteConnection;
struct RunInfo;

struct QueueEntry {
    std::string runId;   // the newest of its lineage
    std::string status;  // status of that run; an entry whose run has ended is about to be replaced or removed
    double turn = 0;     // the smallest starts next
    bool held = false;
    bool cancelled = false;  // `dasgd stop` was called for it: it is not resumed
    int cores = 1, gpus = 0;
    int restarts = 0;           // number of restarts that are left
    bool afterFailure = false;  // it restarts after a failure of its own too, not only after the death of its process
    int restarted = 0;          // number of restarts so far; `restartReason` is the reason of the last
    std::string restartReason;
};

struct Queue {
    bool paused = false;
    int atOnce = 1;                   // number of runs that the last worker ran at a time
    std::vector<QueueEntry> entries;  // ordered by turn
};

// A run under way that is no entry of the queue. Its needs follow from its settings.
struct ForeignRun {
    std::string runId, config;
};

// File whose lock the process that works the queue holds.
[[nodiscard]] std::filesystem::path queueLock(const WorkspacePaths& paths);
// Takes that lock; nullopt where another process works the queue. A process that only looks whether the queue is worked
// holds it for an instant; that is waited for. Errors: of the workspace.
[[nodiscard]] Result<std::optional<FileLock>> takeQueueLock(const WorkspacePaths& paths);
// "pid host" of that process; "" where nobody works the queue.
[[nodiscard]] std::string queueWorker(const WorkspacePaths& paths);

// Changes to the queue, each one transaction. Use from one thread. Errors: of the workspace; disk full.
class QueueStore {
public:
    // Opens lab.db without taking in what dead processes left.
    static Result<QueueStore> open(const std::filesystem::path& workspace);
    QueueStore(QueueStore&&) noexcept;
    QueueStore& operator=(QueueStore&&) noexcept;
    ~QueueStore();

    // Errors: lab.db was removed or replaced since it was opened, so that what is read is of no workspace any more.
    [[nodiscard]] Status checkFile() const;
    Result<Queue> read();
    // Runs that are recorded as under way and are no entries; of a command between two of its runs the next one.
    Result<std::vector<ForeignRun>> foreignRuns();
    // Sets the turn of each run; runs that are no entry any more are passed over.
    Status setTurns(const std::vector<std::pair<std::string, double>>& turns);
    Status setHeld(const std::vector<std::string>& runs, bool held);
    Status setPaused(bool paused);
    Status setAtOnce(int runs);
    // Spends one restart of the entry; false where none was left.
    Result<bool> spendRestart(const std::string& runId);
    // Removes the entry of a run that has ended for good.
    Status remove(const std::string& runId);

    enum class Cancelled {
        TakenOut,  // the run waited: it is `stopped` now, and no entry any more
        Marked,    // a process owns the run: it has to be stopped there, and its entry is removed then
    };
    Result<Cancelled> cancel(const std::string& runId);

private:
    QueueStore(WorkspacePaths paths, std::unique_ptr<WriteConnection> connection);
    template <class Work>
    Status change(Work&& work);
    WorkspacePaths paths_;
    std::unique_ptr<WriteConnection> connection_;
};

// Reads the queue through any connection.
[[nodiscard]] Queue readQueue(SQLite::Database& database);
// Adds the entry of a run, at the end or in the place of another run's. Called inside the transaction that adds the
// run.
[[nodiscard]] Status enterQueue(SQLite::Database& database, const RunInfo& info);

}  // namespace dasgd::storage
