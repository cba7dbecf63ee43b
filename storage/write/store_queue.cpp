#include <chrono>

#include "storage/queue/queue.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace {

// Whoever looks whether a run is lost holds its lock for an instant; whoever runs it, for as long as that takes.
constexpr auto kPatienceWithOwners = std::chrono::milliseconds(1500);

void setWhere(SQLite::Database& database, std::int64_t run, const RunInfo& where) {
    SQLite::Statement update(database, "UPDATE run SET host = ?, cpu = ?, versions = ? WHERE id = ?");
    update.bind(1, where.host);
    update.bind(2, where.cpu);
    update.bind(3, where.versions);
    update.bind(4, run);
    update.exec();
    SQLite::Statement clear(database, "DELETE FROM run_hardware WHERE run = ?");
    clear.bind(1, run);
    clear.exec();
}

RunInfo readInfo(SQLite::Statement& query) {
    int place = 0;
    RunInfo info;
    info.runId = query.getColumn(place++).getString();
    info.experiment = query.getColumn(place++).getString();
    info.algorithm = query.getColumn(place++).getString();
    info.seed = query.getColumn(place++).getInt64();
    info.workers = query.getColumn(place++).getInt();
    info.trainers = query.getColumn(place++).getInt();
    info.backend = query.getColumn(place++).getString();
    info.clockOrigin = query.getColumn(place++).getInt64();
    info.plannedSteps = query.getColumn(place++).getInt64();
    info.stepsPerEpoch = query.getColumn(place++).getDouble();
    info.batchSize = query.getColumn(place++).getDouble();
    info.keepSpans = query.getColumn(place++).getInt() != 0;
    info.linkEmulated = query.getColumn(place++).getInt() != 0;
    info.timeSimulated = query.getColumn(place++).getInt() != 0;
    info.link = query.getColumn(place++).getString();
    info.host = query.getColumn(place++).getString();
    info.cpu = query.getColumn(place++).getString();
    info.gitCommit = query.getColumn(place++).getString();
    info.gitDirty = query.getColumn(place++).getInt() != 0;
    info.versions = query.getColumn(place++).getString();
    info.config = query.getColumn(place++).getString();
    info.gitDirtyDiff = query.getColumn(place++).getString();
    info.series = query.getColumn(place++).getString();
    info.seriesPlace = query.getColumn(place++).getInt64();
    info.seriesSize = query.getColumn(place++).getInt64();
    info.resumedFrom = query.getColumn(place++).getString();
    info.resumedStep = query.getColumn(place++).getInt64();
    info.schema = query.getColumn(place++).getString();
    return info;
}

void readHardware(SQLite::Database& database, RunInfo& info) {
    SQLite::Statement query(database,
                            "SELECT kind, name, bits_per_s, memory_bytes FROM hardware_list WHERE run_id = ? "
                            "ORDER BY place");
    query.bind(1, info.runId);
    const auto numberIn = [&](int place) {
        const SQLite::Column column = query.getColumn(place);
        return column.isNull() ? std::nullopt : std::optional(column.getDouble());
    };
    while (query.executeStep()) {
        info.hardware.push_back({.kind = query.getColumn(0).getString(),
                                 .name = query.getColumn(1).getString(),
                                 .bitsPerS = numberIn(2),
                                 .memoryBytes = numberIn(3)});
    }
}

}  // namespace

Result<RunInfo> Store::infoOf(const std::string& runId) {
    return guarded(impl_->paths.database(), [&]() -> Result<RunInfo> {
        auto& database = impl_->connection->database();
        const SQLite::Transaction snapshot(database);
        SQLite::Statement query(
            database,
            "SELECT run_id, experiment, algorithm, seed, workers, trainers, backend, clock_origin, planned_steps, "
            "steps_per_epoch, batch_size, keep_spans, link_emulated, time_simulated, link, host, cpu, git_commit, "
            "git_dirty, versions, config, git_dirty_diff, ifnull(series, ''), ifnull(place, 0), ifnull(size, 0), "
            "ifnull(resumed_from, ''), ifnull(resumed_step, 0), ifnull(fields, '') "
            "FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = "
            "run.id LEFT JOIN run_schema ON run_schema.run = run.id LEFT JOIN schema ON schema.id = run_schema.schema "
            "WHERE run_id = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return fail("there is no run " + runId);
        RunInfo info = readInfo(query);
        readHardware(database, info);
        return info;
    });
}

Status Store::takeFromQueue(const std::string& runId, const RunInfo& where) {
    auto owner = FileLock::wait(impl_->paths.owner(runId), FileLock::Kind::Exclusive, kPatienceWithOwners);
    if (!owner) return fail("run " + runId + " is under way already: " + owner.error().message);
    owner->sign();
    const Status taken = guarded(impl_->paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*impl_->connection));
        auto& database = impl_->connection->database();
        SQLite::Statement query(database,
                                "SELECT run.id, status, cancelled FROM run LEFT JOIN queue_entry ON run.id = "
                                "queue_entry.run WHERE run_id = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return fail("there is no run " + runId);
        const std::string status = query.getColumn(1).getString();
        if (query.getColumn(2).isNull()) return fail("run " + runId + " is not in the queue");
        if (status != "queued" || query.getColumn(2).getInt() != 0) {
            return fail("run " + runId + " does not wait any more: it is " +
                        (status == "queued" ? "taken out of the queue" : status));
        }
        const std::int64_t run = query.getColumn(0).getInt64();
        query.reset();
        setWhere(database, run, where);
        insertHardware(database, where, runId);
        transaction->commit();
        return {};
    });
    if (taken) impl_->owned.insert_or_assign(runId, std::move(*owner));
    return taken;
}

}  // namespace dasgd::storage
