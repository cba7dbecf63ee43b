// The workspace's queue: runs that belong to no process while they wait, and outlive every process and a reboot. An
// entry is one training that is to come to its end; its run is replaced by the next of the lineage where it has to go
// on. `dasgd queue work` (experiments/queue) is the only one who starts them.
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
    std::string status;  // of that run: ended ones are about to be replaced or taken out
    double turn = 0;     // the smallest starts next
    bool held = false;
    bool cancelled = false;  // `dasgd stop`: does not go on
    int cores = 1, gpus = 0;
    int restarts = 0;           // how often it may still start again
    bool afterFailure = false;  // also where it fails by itself, and not only where its process dies
    int restarted = 0;          // how often it did, and why the last time
    std::string restartReason;
};

struct Queue {
    bool paused = false;
    int atOnce = 1;                   // how many the last who worked it ran at once
    std::vector<QueueEntry> entries;  // by turn
};

// A run under way that is no entry of the queue, with its settings, from which its needs follow.
struct ForeignRun {
    std::string runId, config;
};

// Held by the one process that works the queue.
[[nodiscard]] std::filesystem::path queueLock(const WorkspacePaths& paths);
// Takes that lock; nullopt where another process works the queue. Who only looks holds it for an instant, which is
// waited for. Errors: of the workspace.
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
    // True where one was left, and is spent.
    Result<bool> spendRestart(const std::string& runId);
    // The run has ended for good.
    Status remove(const std::string& runId);

    enum class Cancelled {
        TakenOut,  // it waited: it is `stopped` and no entry any more
        Marked,    // some process has it: it has to be stopped there, and is then taken out
    };
    Result<Cancelled> cancel(const std::string& runId);

private:
    QueueStore(WorkspacePaths paths, std::unique_ptr<WriteConnection> connection);
    template <class Work>
    Status change(Work&& work);
    WorkspacePaths paths_;
    std::unique_ptr<WriteConnection> connection_;
};

// By any connection.
[[nodiscard]] Queue readQueue(SQLite::Database& database);
// Inside of the batch that adds the run: its entry, at the end or in the place of another run's.
[[nodiscard]] Status enterQueue(SQLite::Database& database, const RunInfo& info);

}  // namespace dasgd::storage
