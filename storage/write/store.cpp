#include <array>
#include <chrono>
#include <random>
#include <system_error>
#include <thread>

#include "core/base/log.h"
#include "core/base/text/zero_padded.h"
#include "core/base/unfinished_checkpoints.h"
#include "core/base/utc.h"
#include "core/journal/journal.h"
#include "storage/collect/ingest.h"
#include "storage/collect/journal_source.h"
#include "storage/levels/level_writer.h"
#include "storage/queue/queue.h"
#include "storage/runs/run_end.h"
#include "storage/write/lineage.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

// Orphaned ranks end within two seconds of their launcher.
constexpr auto kPatienceWithOrphans = milliseconds(2500);

void insertRun(SQLite::Database& database, const RunInfo& info) {
    SQLite::Statement insert(
        database,
        "INSERT INTO run (run_id, experiment, algorithm, seed, workers, trainers, backend, status, started_at, "
        "clock_origin, "
        "planned_steps, steps_per_epoch, batch_size, keep_spans, link_emulated, time_simulated, link, "
        "host, cpu, git_commit, git_dirty, versions, config, git_dirty_diff) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int place = 0;
    insert.bind(++place, info.runId);
    insert.bind(++place, info.experiment);
    insert.bind(++place, info.algorithm);
    insert.bind(++place, info.seed);
    insert.bind(++place, info.workers);
    insert.bind(++place, info.trainers > 0 ? info.trainers : info.workers);
    insert.bind(++place, info.backend);
    insert.bind(++place, utcNow());
    insert.bind(++place, info.clockOrigin);
    insert.bind(++place, info.plannedSteps);
    insert.bind(++place, info.stepsPerEpoch);
    insert.bind(++place, info.batchSize);
    insert.bind(++place, info.keepSpans ? 1 : 0);
    insert.bind(++place, info.linkEmulated ? 1 : 0);
    insert.bind(++place, info.timeSimulated ? 1 : 0);
    insert.bind(++place, info.link);
    insert.bind(++place, info.host);
    insert.bind(++place, info.cpu);
    insert.bind(++place, info.gitCommit);
    insert.bind(++place, info.gitDirty ? 1 : 0);
    insert.bind(++place, info.versions);
    insert.bind(++place, info.config);
    insert.bind(++place, info.gitDirtyDiff);
    insert.exec();
}

void insertSchema(SQLite::Database& database, const RunInfo& info) {
    if (info.schema.empty()) return;
    const std::int64_t run = database.getLastInsertRowid();
    SQLite::Statement schema(database, "INSERT OR IGNORE INTO schema (fields) VALUES (?)");
    schema.bind(1, info.schema);
    schema.exec();
    SQLite::Statement insert(database,
                             "INSERT INTO run_schema (run, schema) SELECT ?, id FROM schema WHERE fields = ?");
    insert.bind(1, run);
    insert.bind(2, info.schema);
    insert.exec();
}

void insertSeries(SQLite::Database& database, const RunInfo& info) {
    if (info.series.empty()) return;
    SQLite::Statement insert(
        database, "INSERT INTO run_series (run, series, place, size) SELECT id, ?, ?, ? FROM run WHERE run_id = ?");
    insert.bind(1, info.series);
    insert.bind(2, info.seriesPlace);
    insert.bind(3, info.seriesSize);
    insert.bind(4, info.runId);
    insert.exec();
}

}  // namespace

void insertHardware(SQLite::Database& database, const RunInfo& info, const std::string& runId) {
    SQLite::Statement insert(database,
                             "INSERT INTO run_hardware (run, place, kind, name, bits_per_s, memory_bytes) "
                             "SELECT id, ?, ?, ?, ?, ? FROM run WHERE run_id = ?");
    int place = 0;
    for (const HardwarePart& part : info.hardware) {
        insert.reset();
        insert.clearBindings();
        insert.bind(1, place++);
        insert.bind(2, part.kind);
        insert.bind(3, part.name);
        if (part.bitsPerS) insert.bind(4, *part.bitsPerS);
        if (part.memoryBytes) insert.bind(5, *part.memoryBytes);
        insert.bind(6, runId);
        insert.exec();
    }
}

std::string utcText(std::chrono::system_clock::time_point at) {
    const auto second = std::chrono::floor<std::chrono::seconds>(at);
    const auto ms = static_cast<std::uint64_t>(std::chrono::floor<milliseconds>(at - second).count());
    return utcAs("%Y-%m-%dT%H:%M:%S.", at) + zeroPadded(ms, 3) + "Z";
}

std::string utcNow() { return utcText(std::chrono::system_clock::now()); }

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const fs::path& workspace) {
    DASGD_TRY(prepareWorkspace(workspace));
    auto impl = std::make_unique<Impl>(WorkspacePaths{workspace});
    DASGD_ASSIGN(impl->connection, WriteConnection::open(impl->paths));
    impl->finishDeletions();
    DASGD_TRY(impl->recoverDeadRuns());
    // Nobody is kept from recording by levels of runs that have ended: their rows can be drawn without.
    if (const Status made = makeMissingLevels(*impl->connection); !made) {
        logLine(LogLevel::Warning, "levels of detail of earlier runs could not be made: " + made.error().message);
    }
    return Store(std::move(impl));
}

const WorkspacePaths& Store::paths() const { return impl_->paths; }
int Store::recovered() const { return impl_->recovered; }

std::string Store::newRunId(const std::string& algorithm) const {
    std::random_device random;
    for (;;) {
        std::array<char, 8> digits{};
        std::snprintf(digits.data(), digits.size(), "%04x", random() & 0xffffU);
        std::string id = utcNowAs("%Y%m%d-%H%M%S") + "-" + algorithm + "-" + digits.data();
        if (!fs::exists(impl_->paths.run(id))) return id;
    }
}

Status Store::addRun(const RunInfo& info) {
    if (!isRunId(info.runId)) {
        return fail("'" + info.runId + "' cannot be a run id; use letters, digits, '.', '_' and '-', at most 128");
    }
    // A workspace that was removed is not to get folders again.
    DASGD_TRY(impl_->connection->checkFile());
    std::error_code error;
    fs::create_directories(impl_->paths.run(info.runId) / "journal", error);
    if (error) return fail("cannot make the folder " + impl_->paths.run(info.runId).string() + ": " + error.message());
    DASGD_ASSIGN(FileLock owner, impl_->takeOwnership(info.runId));
    Status added = guarded(impl_->paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*impl_->connection));
        auto& database = impl_->connection->database();
        SQLite::Statement query(database, "SELECT config, workers FROM run WHERE run_id = ?");
        query.bind(1, info.runId);
        if (query.executeStep()) {
            const bool same =
                query.getColumn(0).getString() == info.config && query.getColumn(1).getInt() == info.workers;
            if (same) return {};
            return fail("the run " + info.runId + " is there already, with another configuration; choose another id");
        }
        insertRun(database, info);
        insertSchema(database, info);
        insertSeries(database, info);
        insertHardware(database, info, info.runId);
        DASGD_TRY(takeOverHistory(database, info));
        DASGD_TRY(enterQueue(database, info));
        // Entries of the queue must survive a crash of the machine.
        transaction->commit(info.queueEntry ? WriteTransaction::Then::CheckpointAll : WriteTransaction::Then::Nothing);
        return {};
    });
    if (added && !info.queueEntry) impl_->owned.emplace(info.runId, std::move(owner));
    return added;
}

Status Store::setClockOrigin(const std::string& runId, Ns clockOrigin) {
    return guarded(impl_->paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*impl_->connection));
        SQLite::Statement update(impl_->connection->database(), "UPDATE run SET clock_origin = ? WHERE run_id = ?");
        update.bind(1, clockOrigin);
        update.bind(2, runId);
        if (update.exec() != 1) return fail("there is no run " + runId);
        transaction->commit();
        return {};
    });
}

Status Store::setQueue(const std::vector<QueuePlace>& places) {
    return guarded(impl_->paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*impl_->connection));
        SQLite::Statement update(
            impl_->connection->database(),
            "UPDATE run_series SET turn = ?, held = ? WHERE run = (SELECT id FROM run WHERE run_id = ?)");
        for (const QueuePlace& place : places) {
            update.bind(1, place.turn);
            update.bind(2, place.held ? 1 : 0);
            update.bind(3, place.runId);
            update.exec();
            update.reset();
        }
        transaction->commit();
        return {};
    });
}

Status Store::abandonRun(const std::string& runId, const std::string& status, const std::string& error) {
    Status written = guarded(impl_->paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*impl_->connection));
        auto& database = impl_->connection->database();
        SQLite::Statement query(database, "SELECT id FROM run WHERE run_id = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return fail("there is no run " + runId);
        writeStatus(database, query.getColumn(0).getInt64(), status, error);
        transaction->commit();
        return {};
    });
    impl_->owned.erase(runId);
    return written;
}

Result<FileLock> Store::Impl::takeOwnership(const std::string& runId) {
    if (auto node = owned.extract(runId)) return std::move(node.mapped());
    DASGD_ASSIGN(FileLock lock, FileLock::wait(paths.owner(runId), FileLock::Kind::Shared));
    lock.sign();
    return lock;
}

// Those of other workspaces have their owners there.
Result<std::vector<Store::Impl::DeadRun>> Store::Impl::runsWhere(const char* condition) {
    return guarded(paths.database(), [&]() -> Result<std::vector<DeadRun>> {
        SQLite::Statement query(connection->database(),
                                std::string("SELECT id, run_id, workers FROM run WHERE (") + condition +
                                    ") AND NOT EXISTS (SELECT 1 FROM mirror_run WHERE mirror_run.run = run.id)");
        std::vector<DeadRun> runs;
        while (query.executeStep()) {
            runs.push_back(
                {query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getInt()});
        }
        return runs;
    });
}

Status Store::Impl::recoverDeadRuns() {
    // Before others end: no run is to be read twice.
    DASGD_ASSIGN(const auto ended, runsWhere("status IN ('failed', 'stopped', 'interrupted')"));
    DASGD_ASSIGN(const auto runs, runsWhere("status = 'running' OR (status = 'queued' AND "
                                            "id NOT IN (SELECT run FROM queue_entry))"));
    for (const DeadRun& run : runs) {
        DASGD_ASSIGN(const bool done, recover(run));
        recovered += done ? 1 : 0;
    }
    for (const DeadRun& run : ended) {
        // Nobody is kept from recording by what an ended run left.
        if (const Status read = readAgain(run); !read) {
            logLine(LogLevel::Warning,
                    "run " + run.runId + ": its journals could not be read: " + read.error().message);
        }
    }
    return {};
}

Status Store::Impl::readAgain(const DeadRun& run) {
    const std::vector<int> journals = journalsOf(paths, run.runId);
    if (journals.empty() || anyWriterAlive(paths, run.runId, journals)) return {};
    DASGD_ASSIGN(const auto owner, FileLock::tryNow(paths.owner(run.runId), FileLock::Kind::Exclusive));
    if (!owner) return {};
    RunIngest ingest(*connection, run.key, journalSources(paths, run.runId, journals), CollectorScope::LateRanks);
    DASGD_TRY(ingest.collectAll());
    if (const std::string damage = ingest.damage(); !damage.empty()) {
        logLine(LogLevel::Warning, "run " + run.runId + ": " + damage + "; mend it or remove " +
                                       (paths.run(run.runId) / "journal").string());
        return {};
    }
    // True if records that could not be read when the run ended were read now.
    const bool came = ingest.stored() > 0;
    DASGD_TRY(guarded(paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection));
        auto& database = connection->database();
        SQLite::Statement query(database, "SELECT status, error FROM run WHERE id = ?");
        query.bind(1, run.key);
        if (!query.executeStep()) return {};
        const std::string status = query.getColumn(0).getString();
        std::string error = query.getColumn(1).getString();
        query.reset();
        if (came) {
            error +=
                (error.empty() ? "" : "; ") + ("what could not be read came later, " + utcNowAs("%Y-%m-%d %H:%M UTC"));
        }
        // The status stays: the run was not recorded as a success, and what its missing records changed is not known.
        writeStatus(database, run.key, status, error);
        forgetMeters(database, run.key, journals);
        transaction->commit(WriteTransaction::Then::CheckpointAll);
        return {};
    }));
    for (const int journal : journals) removeJournal(paths, run.runId, journal);
    return {};
}

// False where somebody owns the run, or a rank of it still lives.
Result<bool> Store::Impl::recover(const DeadRun& run) {
    std::error_code error;
    fs::create_directories(paths.run(run.runId), error);
    if (error) return fail("cannot make the folder " + paths.run(run.runId).string() + ": " + error.message());
    const std::string holder = FileLock::holder(paths.owner(run.runId));
    DASGD_ASSIGN(const auto owner, FileLock::tryNow(paths.owner(run.runId), FileLock::Kind::Exclusive));
    if (!owner) return false;
    const std::vector<int> journals = journalsOf(paths, run.runId);
    for (auto waited = milliseconds(0); anyWriterAlive(paths, run.runId, journals); waited += milliseconds(50)) {
        if (waited >= kPatienceWithOrphans) return false;
        std::this_thread::sleep_for(milliseconds(50));
    }
    RunIngest ingest(*connection, run.key, journalSources(paths, run.runId, journals));
    const Status collected = ingest.collectAll();
    std::string why = causeOfLoss(holder);
    if (!collected) why += "; " + collected.error().message;
    if (const Status swept = removeUnfinishedCheckpoints(paths.checkpoints(run.runId)); !swept) {
        logLine(LogLevel::Warning, "run " + run.runId + ": " + swept.error().message);
    }
    const std::string damage = ingest.damage();
    if (!damage.empty()) why += "; " + damage;
    const Status written = guarded(paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection));
        auto& database = connection->database();
        SQLite::Statement query(database, "SELECT error FROM run WHERE id = ? AND status IN ('queued', 'running')");
        query.bind(1, run.key);
        if (!query.executeStep()) return {};
        const std::string status = withDamage(statusFromRanks(database, run.key, run.workers), damage);
        const bool explained = status != "interrupted" || !query.getColumn(0).getString().empty();
        query.reset();
        writeStatus(database, run.key, status, explained && damage.empty() ? "" : why);
        if (collected && damage.empty()) forgetMeters(database, run.key, journals);
        transaction->commit(WriteTransaction::Then::CheckpointAll);
        return {};
    });
    if (!written) return tl::unexpected<Error>(written.error());
    if (!collected || !damage.empty()) return true;
    for (const int journal : journals) removeJournal(paths, run.runId, journal);
    return true;
}

}  // namespace dasgd::storage
