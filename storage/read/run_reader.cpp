#include "storage/read/run_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/analysis/inflation.h"
#include "core/base/metric_names.h"
#include "storage/read/queue_waits.h"
#include "storage/read/read_connection.h"
#include "storage/runs/run_end.h"

namespace dasgd::storage {

namespace {

constexpr const char* kRunColumns =
    "run_id, experiment, algorithm, seed, workers, backend, status, started_at, wall_s, steps, samples, bytes_sent, "
    "final_loss, best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error, step_ms, "
    "skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s, planned_steps, "
    "ifnull(series, ''), ifnull(series_place, 0), ifnull(series_size, 0), "
    "queue_turn, held, ifnull(resumed_from, ''), ifnull(resumed_step, 0), ifnull(ended_at, ''), in_queue, "
    "ifnull(origin, ''), ifnull(heard_at, ''), ifnull(origin_program, ''), restarted, restart_reason, "
    // NaN is stored as NULL, so is what was never recorded: runs without a model train and have no loss.
    "final_loss IS NULL AND (SELECT evaluated OR EXISTS (SELECT 1 FROM metric WHERE metric.run = run.id AND "
    "metric.name "
    "= (SELECT metric_name.id FROM metric_name WHERE metric_name.name = 'train/loss')) "
    "FROM run WHERE run.run_id = run_list.run_id)";

RunRow runRow(SQLite::Statement& query) {
    int place = 0;
    RunRow row;
    row.runId = query.getColumn(place++).getString();
    row.experiment = query.getColumn(place++).getString();
    row.algorithm = query.getColumn(place++).getString();
    row.seed = query.getColumn(place++).getInt64();
    row.workers = query.getColumn(place++).getInt();
    row.backend = query.getColumn(place++).getString();
    row.status = query.getColumn(place++).getString();
    row.startedAt = query.getColumn(place++).getString();
    row.wallS = query.getColumn(place++).getDouble();
    row.steps = query.getColumn(place++).getInt64();
    row.samples = query.getColumn(place++).getInt64();
    row.bytesSent = query.getColumn(place++).getInt64();
    row.finalLoss = optionalNumber(query.getColumn(place++));
    row.bestAccuracy = optionalNumber(query.getColumn(place++));
    row.hidden = optionalNumber(query.getColumn(place++));
    row.blockedS = optionalNumber(query.getColumn(place++));
    row.samplesPerS = optionalNumber(query.getColumn(place++));
    row.gitCommit = query.getColumn(place++).getString();
    row.config = query.getColumn(place++).getString();
    row.error = query.getColumn(place++).getString();
    row.stepMs = optionalNumber(query.getColumn(place++));
    row.skewS = optionalNumber(query.getColumn(place++));
    row.inflation = optionalNumber(query.getColumn(place++));
    row.inflationRanks = query.getColumn(place++).getInt();
    row.timedSteps = optionalNumber(query.getColumn(place++));
    row.timeSimulated = query.getColumn(place++).getInt() != 0;
    row.measuredS = optionalNumber(query.getColumn(place++));
    row.plannedSteps = query.getColumn(place++).getInt64();
    row.series = query.getColumn(place++).getString();
    row.seriesPlace = query.getColumn(place++).getInt64();
    row.seriesSize = query.getColumn(place++).getInt64();
    row.queueTurn = optionalNumber(query.getColumn(place++));
    row.held = query.getColumn(place++).getInt() != 0;
    row.resumedFrom = query.getColumn(place++).getString();
    row.resumedStep = query.getColumn(place++).getInt64();
    row.endedAt = query.getColumn(place++).getString();
    row.inQueue = query.getColumn(place++).getInt() != 0;
    row.origin = query.getColumn(place++).getString();
    row.heardAt = query.getColumn(place++).getString();
    row.originProgram = query.getColumn(place++).getString();
    row.restarted = query.getColumn(place++).getInt();
    row.restartReason = query.getColumn(place++).getString();
    row.lossIsNaN = query.getColumn(place++).getInt() != 0;
    return row;
}

// The run that has this id, or the only one whose id begins with it.
Result<std::string> fullId(ReadConnection& connection, const std::string& prefix) {
    if (connection.keyOf(prefix) != 0) return prefix;
    SQLite::Statement query(connection.database, "SELECT run_id FROM run WHERE run_id >= ? AND run_id < ? LIMIT 2");
    query.bind(1, prefix);
    query.bind(2, prefix + '\x7f');  // after all ids that begin with it
    if (prefix.empty() || !query.executeStep()) {
        return fail("there is no run '" + prefix + "' in " + connection.root.string());
    }
    std::string id = query.getColumn(0).getString();
    if (query.executeStep()) {
        return fail("'" + prefix + "' begins the ids of several runs, as " + id + " and " +
                    query.getColumn(0).getString() + "; give more of it");
    }
    return id;
}

std::vector<HardwarePart> hardwareOf(ReadConnection& connection, const std::string& fullId) {
    const auto query = connection.statements.take(
        "SELECT kind, name, bits_per_s, memory_bytes FROM hardware_list WHERE run_id = ? "
        "ORDER BY place");
    query->bind(1, fullId);
    std::vector<HardwarePart> parts;
    while (query->executeStep()) {
        parts.push_back({.kind = query->getColumn(0).getString(),
                         .name = query->getColumn(1).getString(),
                         .bitsPerS = optionalNumber(query->getColumn(2)),
                         .memoryBytes = optionalNumber(query->getColumn(3))});
    }
    return parts;
}

// Inflation over the ranks of a run that know theirs; `mean` alone if none does, as for an imported run.
Sample inflationOfRun(ReadConnection& connection, std::int64_t run, std::optional<double> mean) {
    const auto query = connection.statements.take(
        "SELECT inflation FROM rank_state WHERE run = ? AND inflation IS NOT NULL ORDER BY rank");
    query->bind(1, run);
    std::vector<double> ranks;
    while (query->executeStep()) ranks.push_back(query->getColumn(0).getDouble());
    if (!mean) return {};
    return ranks.empty() ? summarise({*mean}) : dasgd::inflationOfRanks(ranks);
}

}  // namespace

// Schemas and the newest straggler, kept between calls.
class RunReader::Kept {
public:
    // Reads what was added since the last call: the schema of a run is written once, with its row.
    void readSchemas(ReadConnection& connection);
    [[nodiscard]] std::shared_ptr<const std::string> schemaOf(const std::string& runId) const;
    // Computed anew only when the run has more spans than last time.
    std::optional<Straggler> straggler(ReadConnection& connection, std::int64_t run, std::int64_t spans);

private:
    std::int64_t timedRun_ = 0;
    std::int64_t timedSpans_ = -1;
    std::optional<Straggler> straggler_;
    std::map<std::int64_t, std::shared_ptr<const std::string>> schemas_;
    std::map<std::string, std::shared_ptr<const std::string>> schemaOf_;  // by run id
    std::int64_t newestRunWithSchema_ = 0;
};

void RunReader::Kept::readSchemas(ReadConnection& connection) {
    const auto schema = connection.statements.take("SELECT id, fields FROM schema WHERE id > ?");
    schema->bind(1, schemas_.empty() ? std::int64_t{0} : schemas_.rbegin()->first);
    while (schema->executeStep()) {
        schemas_[schema->getColumn(0).getInt64()] =
            std::make_shared<const std::string>(schema->getColumn(1).getString());
    }
    // The number of a deleted run may be another one's later.
    const auto newest = connection.statements.take("SELECT ifnull(max(run), 0) FROM run_schema");
    newest->executeStep();
    if (newest->getColumn(0).getInt64() < newestRunWithSchema_) newestRunWithSchema_ = 0;
    const auto run = connection.statements.take(
        "SELECT run.id, run_id, schema FROM run_schema JOIN run ON run.id = run_schema.run "
        "WHERE run_schema.run >= ? ORDER BY run_schema.run");
    run->bind(1, newestRunWithSchema_);
    while (run->executeStep()) {
        newestRunWithSchema_ = run->getColumn(0).getInt64();
        const auto known = schemas_.find(run->getColumn(2).getInt64());
        if (known != schemas_.end()) schemaOf_[run->getColumn(1).getString()] = known->second;
    }
}

std::shared_ptr<const std::string> RunReader::Kept::schemaOf(const std::string& runId) const {
    const auto found = schemaOf_.find(runId);
    return found == schemaOf_.end() ? nullptr : found->second;
}

std::optional<Straggler> RunReader::Kept::straggler(ReadConnection& connection, std::int64_t run, std::int64_t spans) {
    if (run != timedRun_ || spans != timedSpans_) {
        straggler_ = stragglerOf(connection.newestSpans(run));
        timedRun_ = run;
        timedSpans_ = spans;
    }
    return straggler_;
}

RunReader::RunReader(std::shared_ptr<ReadConnection> connection)
    : connection_(std::move(connection)), kept_(std::make_shared<Kept>()) {}

Result<RunReader> RunReader::open(const std::filesystem::path& workspace) {
    DASGD_ASSIGN(auto connection, ReadConnection::open(workspace));
    return RunReader(std::move(connection));
}

Result<std::vector<RunRow>> RunReader::list() {
    return connection_->guard([&]() -> Result<std::vector<RunRow>> {
        std::vector<RunRow> rows;
        const auto query = connection_->statements.take(std::string("SELECT ") + kRunColumns + " FROM run_list");
        while (query->executeStep()) rows.push_back(runRow(*query));
        kept_->readSchemas(*connection_);
        std::map<std::string, double> places = queuePlaces(*connection_);
        for (RunRow& row : rows) {
            row.schema = kept_->schemaOf(row.runId);
            if (row.inQueue && row.queueTurn) row.queueTurn = places[row.runId];
        }
        std::reverse(rows.begin(), rows.end());
        return rows;
    });
}

RunRow RunReader::rowOf(const std::string& fullId) {
    const auto query =
        connection_->statements.take(std::string("SELECT ") + kRunColumns + " FROM run_list WHERE run_id = ?");
    query->bind(1, fullId);
    query->executeStep();
    kept_->readSchemas(*connection_);
    RunRow row = runRow(*query);
    row.schema = kept_->schemaOf(fullId);
    if (row.inQueue && row.queueTurn) row.queueTurn = queuePlaces(*connection_)[fullId];
    return row;
}

Result<RunRow> RunReader::row(const std::string& runId) {
    return connection_->guard([&]() -> Result<RunRow> {
        DASGD_ASSIGN(const std::string id, fullId(*connection_, runId));
        return rowOf(id);
    });
}

Result<RunDetail> RunReader::detail(const std::string& runId) {
    return connection_->guard([&]() -> Result<RunDetail> {
        DASGD_ASSIGN(const std::string id, fullId(*connection_, runId));
        RunDetail detail{.row = rowOf(id)};
        const auto query = connection_->statements.take(
            "SELECT planned_steps, steps_per_epoch, link_emulated, link, host, cpu, git_dirty_diff, "
            "git_dirty, versions, clock_origin, (SELECT max(value) FROM metric WHERE run = run.id AND name = "
            "(SELECT id FROM metric_name WHERE name = ?)), id, spans FROM run WHERE run_id = ?");
        query->bind(1, metrics::kClockErrorS);
        query->bind(2, id);
        query->executeStep();
        detail.plannedSteps = query->getColumn(0).getInt64();
        detail.stepsPerEpoch = query->getColumn(1).getDouble();
        detail.linkEmulated = query->getColumn(2).getInt() != 0;
        detail.link = query->getColumn(3).getString();
        detail.host = query->getColumn(4).getString();
        detail.cpu = query->getColumn(5).getString();
        detail.gitDirtyDiff = query->getColumn(6).getString();
        detail.gitDirty = query->getColumn(7).getInt() != 0;
        detail.versions = query->getColumn(8).getString();
        detail.clockOrigin = query->getColumn(9).getInt64();
        detail.clockErrorS = query->getColumn(10).getDouble();  // NULL reads as 0: one host
        detail.hardware = hardwareOf(*connection_, id);
        const auto hosts = connection_->hostsOfRanks(query->getColumn(11).getInt64());
        if (std::ssize(hosts) == detail.row.workers) {
            for (const auto& [rank, host] : hosts) detail.rankHosts.push_back(host);
        }
        detail.straggler =
            kept_->straggler(*connection_, query->getColumn(11).getInt64(), query->getColumn(12).getInt64());
        detail.inflation = inflationOfRun(*connection_, query->getColumn(11).getInt64(), detail.row.inflation);
        if (detail.row.status == "queued") {
            detail.waitsFor =
                detail.row.inQueue ? waitsInQueue(*connection_, id) : waitsInSeries(*connection_, detail.row);
        }
        return detail;
    });
}

Result<RunProvenance> RunReader::provenance(const std::string& runId) {
    return connection_->guard([&]() -> Result<RunProvenance> {
        const auto query =
            connection_->statements.take("SELECT host, cpu, git_dirty, workers, time_simulated FROM run WHERE id = ?");
        const std::int64_t run = connection_->keyOf(runId);
        query->bind(1, run);
        if (!query->executeStep()) return fail("there is no run '" + runId + "'");
        RunProvenance found{.host = query->getColumn(0).getString(),
                            .cpu = query->getColumn(1).getString(),
                            .gitDirty = query->getColumn(2).getInt() != 0};
        // Simulated workers are on no host, and there may be thousands.
        if (query->getColumn(4).getInt() != 0) return found;
        found.hostOf = connection_->hostsOfRanks(run);
        if (std::ssize(found.hostOf) != query->getColumn(3).getInt()) return found;
        std::set<std::string> hosts;
        for (const auto& [rank, host] : found.hostOf) hosts.insert(host);
        found.hosts = hosts.size();
        return found;
    });
}

Result<std::optional<LostRun>> RunReader::lost(const std::string& runId) {
    const WorkspacePaths paths{connection_->root};
    if (!mayBeLost(paths, runId)) return std::optional<LostRun>();
    // Read after that: an owner writes the status before it lets go.
    return connection_->guard(
        [&]() -> Result<std::optional<LostRun>> { return endOfLost(connection_->database, paths, runId); });
}

Result<Queue> RunReader::queue() {
    return connection_->guard([&]() -> Result<Queue> { return readQueue(connection_->database); });
}

Result<std::string> RunReader::queueWorker() { return storage::queueWorker(WorkspacePaths{connection_->root}); }

Result<std::vector<RankRow>> RunReader::ranks(const std::string& runId) {
    return connection_->guard([&]() -> Result<std::vector<RankRow>> {
        const auto query = connection_->statements.take(
            "SELECT rank, timed_s * 1e3 / nullif(timed_steps, 0), "
            "hidden_s / nullif(transfer_s, 0), blocked_s, skew_s / nullif(collectives, 0), "
            "inflation, timed_steps, measured_s FROM rank_state WHERE run = ? ORDER BY rank");
        query->bind(1, connection_->keyOf(runId));
        std::vector<RankRow> rows;
        while (query->executeStep()) {
            rows.push_back({.rank = query->getColumn(0).getInt(),
                            .stepMs = optionalNumber(query->getColumn(1)),
                            .measuredS = optionalNumber(query->getColumn(7)),
                            .hidden = optionalNumber(query->getColumn(2)),
                            .blockedS = optionalNumber(query->getColumn(3)),
                            .skewS = optionalNumber(query->getColumn(4)),
                            .inflation = optionalNumber(query->getColumn(5)),
                            .timedSteps = query->getColumn(6).getInt64()});
        }
        return rows;
    });
}

Result<Ns> RunReader::newestInstant(const std::string& runId) {
    return connection_->guard([&]() -> Result<Ns> { return connection_->integerOf(runId, "newest_ns"); });
}

}  // namespace dasgd::storage
