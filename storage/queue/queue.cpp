#include "storage/queue/queue.h"

#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

#include "storage/base/database.h"
#include "storage/runs/run_end.h"
#include "storage/runs/run_info.h"

namespace dasgd::storage {

namespace {

// Whoever looks whether a run is lost, or the queue is worked, holds the lock for an instant.
constexpr auto kPatienceWithLooks = std::chrono::milliseconds(300);
constexpr auto kPauseBetweenTries = std::chrono::milliseconds(10);

std::int64_t changes(SQLite::Database& database, const char* sql, const std::string& runId) {
    SQLite::Statement statement(database, sql);
    statement.bind(1, runId);
    return statement.exec();
}

// The run goes on, or begins again, in the place of another one.
void countRestart(SQLite::Database& database, const RunInfo& info) {
    SQLite::Statement insert(database,
                             "INSERT INTO run_restart (run, number, reason) SELECT id, 1 + ifnull((SELECT number FROM "
                             "run_restart WHERE run = (SELECT id FROM run WHERE run_id = ?)), 0), ? FROM run WHERE "
                             "run_id = ?");
    insert.bind(1, info.queueEntry->replaces);
    insert.bind(2, info.queueEntry->reason);
    insert.bind(3, info.runId);
    insert.exec();
}

}  // namespace

std::filesystem::path queueLock(const WorkspacePaths& paths) { return paths.root / "queue-work.lock"; }

Result<std::optional<FileLock>> takeQueueLock(const WorkspacePaths& paths) {
    const auto until = std::chrono::steady_clock::now() + kPatienceWithLooks;
    for (;;) {
        DASGD_ASSIGN(auto lock, FileLock::tryNow(queueLock(paths), FileLock::Kind::Exclusive));
        if (lock || std::chrono::steady_clock::now() > until) return lock;
        std::this_thread::sleep_for(kPauseBetweenTries);
    }
}

std::string queueWorker(const WorkspacePaths& paths) {
    const std::filesystem::path file = queueLock(paths);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return {};
    if (FileLock::isFree(file, isFileSystemAllowed(paths.root))) return {};
    const std::string holder = FileLock::holder(file);
    return holder.empty() ? "unknown" : holder;
}

Queue readQueue(SQLite::Database& database) {
    Queue queue;
    SQLite::Statement state(database, "SELECT paused, slots FROM queue_state");
    if (state.executeStep()) {
        queue.paused = state.getColumn(0).getInt() != 0;
        queue.atOnce = state.getColumn(1).getInt();
    }
    SQLite::Statement query(database,
                            "SELECT run_id, status, turn, held, cancelled, cores, gpus, restarts, after_failure, "
                            "restarted, restart_reason FROM queue_list");
    while (query.executeStep()) {
        queue.entries.push_back({.runId = query.getColumn(0).getString(),
                                 .status = query.getColumn(1).getString(),
                                 .turn = query.getColumn(2).getDouble(),
                                 .held = query.getColumn(3).getInt() != 0,
                                 .cancelled = query.getColumn(4).getInt() != 0,
                                 .cores = query.getColumn(5).getInt(),
                                 .gpus = query.getColumn(6).getInt(),
                                 .restarts = query.getColumn(7).getInt(),
                                 .afterFailure = query.getColumn(8).getInt() != 0,
                                 .restarted = query.getColumn(9).getInt(),
                                 .restartReason = query.getColumn(10).getString()});
    }
    return queue;
}

Status enterQueue(SQLite::Database& database, const RunInfo& info) {
    if (!info.queueEntry) return {};
    const RunInfo::QueueEntry& entry = *info.queueEntry;
    if (!entry.replaces.empty()) {
        SQLite::Statement replace(database,
                                  "UPDATE queue_entry SET run = (SELECT id FROM run WHERE run_id = ?), restarts = ? "
                                  "WHERE run = (SELECT id FROM run WHERE run_id = ?) AND NOT cancelled");
        replace.bind(1, info.runId);
        replace.bind(2, entry.restarts);
        replace.bind(3, entry.replaces);
        if (replace.exec() == 1) {
            countRestart(database, info);
            return {};
        }
        return fail("run " + entry.replaces + " is not in the queue any more, so that none goes on in its place");
    }
    SQLite::Statement insert(database,
                             "INSERT INTO queue_entry (run, turn, cores, gpus, restarts, after_failure) "
                             "SELECT id, (SELECT ifnull(max(turn) + 1, 0) FROM queue_entry), ?, ?, ?, ? FROM run "
                             "WHERE run_id = ?");
    insert.bind(1, entry.cores);
    insert.bind(2, entry.gpus);
    insert.bind(3, entry.restarts);
    insert.bind(4, entry.afterFailure ? 1 : 0);
    insert.bind(5, info.runId);
    insert.exec();
    return {};
}

QueueStore::QueueStore(WorkspacePaths paths, std::unique_ptr<WriteConnection> connection)
    : paths_(std::move(paths)), connection_(std::move(connection)) {}
QueueStore::QueueStore(QueueStore&&) noexcept = default;
QueueStore& QueueStore::operator=(QueueStore&&) noexcept = default;
QueueStore::~QueueStore() = default;

Result<QueueStore> QueueStore::open(const std::filesystem::path& workspace) {
    DASGD_TRY(prepareWorkspace(workspace));
    WorkspacePaths paths{workspace};
    DASGD_ASSIGN(auto connection, WriteConnection::open(paths));
    return QueueStore(std::move(paths), std::move(connection));
}

template <class Work>
Status QueueStore::change(Work&& work) {
    return guarded(paths_.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection_));
        work(connection_->database());
        transaction->commit();
        return {};
    });
}

Status QueueStore::checkFile() const { return connection_->checkFile(); }

Result<Queue> QueueStore::read() {
    return guarded(paths_.database(), [&]() -> Result<Queue> {
        const SQLite::Transaction snapshot(connection_->database());
        return readQueue(connection_->database());
    });
}

Result<std::vector<ForeignRun>> QueueStore::foreignRuns() {
    return guarded(paths_.database(), [&]() -> Result<std::vector<ForeignRun>> {
        const SQLite::Transaction snapshot(connection_->database());
        SQLite::Statement query(
            connection_->database(),
            "SELECT run_id, config FROM run WHERE status = 'running' AND id NOT IN (SELECT run FROM queue_entry) "
            "AND id NOT IN (SELECT run FROM mirror_run) UNION ALL "
            "SELECT min(run_id), config FROM run JOIN run_series AS own ON own.run = run.id "
            "WHERE status = 'queued' AND NOT held AND id NOT IN (SELECT run FROM queue_entry) "
            "AND id NOT IN (SELECT run FROM mirror_run) "
            "GROUP BY series HAVING (SELECT max(other.steps > 0) AND NOT max(other.status = 'running') "
            "FROM run_series AS place JOIN run AS other ON other.id = place.run WHERE place.series = own.series)");
        std::vector<ForeignRun> runs;
        while (query.executeStep()) runs.push_back({query.getColumn(0).getString(), query.getColumn(1).getString()});
        return runs;
    });
}

Status QueueStore::setTurns(const std::vector<std::pair<std::string, double>>& turns) {
    return change([&](SQLite::Database& database) {
        SQLite::Statement update(database,
                                 "UPDATE queue_entry SET turn = ? WHERE run = (SELECT id FROM run WHERE run_id = ?)");
        for (const auto& [run, turn] : turns) {
            update.bind(1, turn);
            update.bind(2, run);
            update.exec();
            update.reset();
        }
    });
}

Status QueueStore::setHeld(const std::vector<std::string>& runs, bool held) {
    return change([&](SQLite::Database& database) {
        SQLite::Statement update(database,
                                 "UPDATE queue_entry SET held = ? WHERE run = (SELECT id FROM run WHERE run_id = ?)");
        for (const std::string& run : runs) {
            update.bind(1, held ? 1 : 0);
            update.bind(2, run);
            update.exec();
            update.reset();
        }
    });
}

Status QueueStore::setPaused(bool paused) {
    return change([&](SQLite::Database& database) {
        database.exec(paused ? "UPDATE queue_state SET paused = 1" : "UPDATE queue_state SET paused = 0");
    });
}

Status QueueStore::setAtOnce(int runs) {
    return change([&](SQLite::Database& database) {
        SQLite::Statement update(database, "UPDATE queue_state SET slots = ?");
        update.bind(1, runs);
        update.exec();
    });
}

Result<bool> QueueStore::spendRestart(const std::string& runId) {
    bool spent = false;
    DASGD_TRY(change([&](SQLite::Database& database) {
        spent = changes(database,
                        "UPDATE queue_entry SET restarts = restarts - 1 WHERE restarts > 0 AND NOT cancelled "
                        "AND run = (SELECT id FROM run WHERE run_id = ?)",
                        runId) == 1;
    }));
    return spent;
}

Status QueueStore::remove(const std::string& runId) {
    return change([&](SQLite::Database& database) {
        changes(database, "DELETE FROM queue_entry WHERE run = (SELECT id FROM run WHERE run_id = ?)", runId);
    });
}

Result<QueueStore::Cancelled> QueueStore::cancel(const std::string& runId) {
    // While it is ours nobody can begin to run it.
    const auto owner = FileLock::wait(paths_.owner(runId), FileLock::Kind::Exclusive, kPatienceWithLooks);
    Cancelled done = Cancelled::Marked;
    bool isEntry = false;
    DASGD_TRY(change([&](SQLite::Database& database) {
        isEntry =
            changes(database, "UPDATE queue_entry SET cancelled = 1 WHERE run = (SELECT id FROM run WHERE run_id = ?)",
                    runId) == 1;
        if (!isEntry) return;
        SQLite::Statement query(database, "SELECT id, status FROM run WHERE run_id = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return;
        const std::string status = query.getColumn(1).getString();
        const std::int64_t key = query.getColumn(0).getInt64();
        query.reset();
        if (!owner || status == "running") return;
        if (status == "queued") writeStatus(database, key, "stopped", "");
        changes(database, "DELETE FROM queue_entry WHERE run = (SELECT id FROM run WHERE run_id = ?)", runId);
        done = Cancelled::TakenOut;
    }));
    if (!isEntry) return fail(runId + " left the queue just now; `dasgd queue` tells whether another run goes on");
    return done;
}

}  // namespace dasgd::storage
