#include "storage/read/run_reader.h"

#include <algorithm>
#include <limits>

#include "core/analysis/inflation.h"
#include "core/base/metric_names.h"
#include "storage/base/schema.h"
#include "storage/read/run_reader_impl.h"

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

std::optional<double> optionalNumber(const SQLite::Column& column) {
    if (column.isNull()) return std::nullopt;
    return column.getDouble();
}

// NaN is stored as NULL.
double number(const SQLite::Column& column) {
    return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

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

// Columns id, rank, step, epoch, wall_ns, samples, bytes_sent, value.
MetricSample metricSample(SQLite::Statement& query) {
    return {.rank = query.getColumn(1).getInt(),
            .step = query.getColumn(2).getInt64(),
            .epoch = number(query.getColumn(3)),
            .wallS = static_cast<double>(query.getColumn(4).getInt64()) / 1e9,
            .samples = query.getColumn(5).getInt64(),
            .bytesSent = query.getColumn(6).getInt64(),
            .value = number(query.getColumn(7))};
}

}  // namespace

std::int64_t RunReader::Impl::integerOf(const std::string& runId, const char* column) {
    const auto query = statements.take(std::string("SELECT ") + column + " FROM run WHERE run_id = ?");
    query->bind(1, runId);
    return query->executeStep() ? query->getColumn(0).getInt64() : 0;
}

Result<std::string> RunReader::Impl::fullId(const std::string& prefix) {
    if (keyOf(prefix) != 0) return prefix;
    SQLite::Statement query(database, "SELECT run_id FROM run WHERE run_id >= ? AND run_id < ? LIMIT 2");
    query.bind(1, prefix);
    query.bind(2, prefix + '\x7f');  // after all ids that begin with it
    if (prefix.empty() || !query.executeStep()) return fail("there is no run '" + prefix + "' in " + root.string());
    std::string id = query.getColumn(0).getString();
    if (query.executeStep()) {
        return fail("'" + prefix + "' begins the ids of several runs, as " + id + " and " +
                    query.getColumn(0).getString() + "; give more of it");
    }
    return id;
}

RunRow RunReader::Impl::row(const std::string& fullId) {
    const auto query = statements.take(std::string("SELECT ") + kRunColumns + " FROM run_list WHERE run_id = ?");
    query->bind(1, fullId);
    query->executeStep();
    readSchemas();
    RunRow row = runRow(*query);
    row.schema = schemaOf(fullId);
    if (row.inQueue && row.queueTurn) row.queueTurn = queuePlaces()[fullId];
    return row;
}

std::vector<HardwarePart> RunReader::Impl::hardware(const std::string& fullId) {
    const auto query = statements.take(
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

Sample RunReader::Impl::inflationOfRanks(std::int64_t run, std::optional<double> mean) {
    const auto query =
        statements.take("SELECT inflation FROM rank_state WHERE run = ? AND inflation IS NOT NULL ORDER BY rank");
    query->bind(1, run);
    std::vector<double> ranks;
    while (query->executeStep()) ranks.push_back(query->getColumn(0).getDouble());
    if (!mean) return {};
    return ranks.empty() ? summarise({*mean}) : dasgd::inflationOfRanks(ranks);
}

void RunReader::Impl::readSchemas() {
    const auto schema = statements.take("SELECT id, fields FROM schema WHERE id > ?");
    schema->bind(1, schemas_.empty() ? std::int64_t{0} : schemas_.rbegin()->first);
    while (schema->executeStep()) {
        schemas_[schema->getColumn(0).getInt64()] =
            std::make_shared<const std::string>(schema->getColumn(1).getString());
    }
    const auto run = statements.take(
        "SELECT run.id, run_id, schema FROM run_schema JOIN run ON run.id = run_schema.run "
        "WHERE run_schema.run > ? ORDER BY run_schema.run");
    run->bind(1, newestRunWithSchema_);
    while (run->executeStep()) {
        newestRunWithSchema_ = run->getColumn(0).getInt64();
        const auto known = schemas_.find(run->getColumn(2).getInt64());
        if (known != schemas_.end()) schemaOf_[run->getColumn(1).getString()] = known->second;
    }
}

std::shared_ptr<const std::string> RunReader::Impl::schemaOf(const std::string& runId) const {
    const auto found = schemaOf_.find(runId);
    return found == schemaOf_.end() ? nullptr : found->second;
}

RunReader::RunReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

Result<RunReader> RunReader::open(const std::filesystem::path& workspace) {
    const WorkspacePaths paths{workspace};
    std::error_code ignored;
    if (!std::filesystem::exists(paths.database(), ignored)) {
        return fail("there is no workspace in " + workspace.string() + " (no lab.db); `dasgd run` makes one");
    }
    DASGD_TRY(checkDatabaseFile(paths.database()));
    return guarded(paths.database(), [&]() -> Result<RunReader> {
        auto impl = std::make_unique<Impl>(workspace);
        DASGD_TRY(checkSchema(impl->database, paths.database()));
        return RunReader(std::move(impl));
    });
}

Result<std::int64_t> RunReader::dataVersion() {
    return guarded(impl_->file, [&]() -> Result<std::int64_t> {
        const auto version = impl_->statements.take("PRAGMA data_version");
        version->executeStep();
        return version->getColumn(0).getInt64();
    });
}

Result<std::vector<RunRow>> RunReader::runs() {
    return impl_->guard([&]() -> Result<std::vector<RunRow>> {
        std::vector<RunRow> rows;
        const auto query = impl_->statements.take(std::string("SELECT ") + kRunColumns + " FROM run_list");
        while (query->executeStep()) rows.push_back(runRow(*query));
        impl_->readSchemas();
        std::map<std::string, double> places = impl_->queuePlaces();
        for (RunRow& row : rows) {
            row.schema = impl_->schemaOf(row.runId);
            if (row.inQueue && row.queueTurn) row.queueTurn = places[row.runId];
        }
        std::reverse(rows.begin(), rows.end());
        return rows;
    });
}

Result<RunRow> RunReader::row(const std::string& runId) {
    return impl_->guard([&]() -> Result<RunRow> {
        DASGD_ASSIGN(const std::string id, impl_->fullId(runId));
        return impl_->row(id);
    });
}

Result<RunDetail> RunReader::run(const std::string& runId) {
    return impl_->guard([&]() -> Result<RunDetail> {
        DASGD_ASSIGN(const std::string id, impl_->fullId(runId));
        RunDetail detail{.row = impl_->row(id)};
        const auto query = impl_->statements.take(
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
        detail.hardware = impl_->hardware(id);
        const auto hosts = impl_->hostsOfRanks(query->getColumn(11).getInt64());
        if (std::ssize(hosts) == detail.row.workers) {
            for (const auto& [rank, host] : hosts) detail.rankHosts.push_back(host);
        }
        detail.straggler = impl_->straggler(query->getColumn(11).getInt64(), query->getColumn(12).getInt64());
        detail.inflation = impl_->inflationOfRanks(query->getColumn(11).getInt64(), detail.row.inflation);
        if (detail.row.status == "queued") {
            detail.waitsFor = detail.row.inQueue ? impl_->waitsFor(id) : impl_->waitsInSeries(detail.row);
        }
        return detail;
    });
}

Result<std::vector<RankRow>> RunReader::ranks(const std::string& runId) {
    return impl_->guard([&]() -> Result<std::vector<RankRow>> {
        const auto query = impl_->statements.take(
            "SELECT rank, timed_s * 1e3 / nullif(timed_steps, 0), "
            "hidden_s / nullif(transfer_s, 0), blocked_s, skew_s / nullif(collectives, 0), "
            "inflation, timed_steps, measured_s FROM rank_state WHERE run = ? ORDER BY rank");
        query->bind(1, impl_->keyOf(runId));
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

Result<std::vector<std::string>> RunReader::metricNames(const std::string& runId) {
    return impl_->guard([&]() -> Result<std::vector<std::string>> {
        // One probe of the index a name, however many rows there are.
        const auto query = impl_->statements.take(
            "SELECT name FROM metric_name WHERE EXISTS "
            "(SELECT 1 FROM metric WHERE run = ? AND metric.name = metric_name.id) ORDER BY id");
        query->bind(1, impl_->keyOf(runId));
        std::vector<std::string> names;
        while (query->executeStep()) names.push_back(query->getColumn(0).getString());
        return names;
    });
}

Result<MetricAnswer> RunReader::metrics(const MetricQuery& wanted) {
    return impl_->guard([&]() -> Result<MetricAnswer> {
        const auto query = impl_->statements.take(
            "SELECT id, rank, step, epoch, wall_ns, samples, bytes_sent, value FROM metric "
            "WHERE run = ? AND name = (SELECT id FROM metric_name WHERE name = ?) AND id > ? "
            "ORDER BY id");
        query->bind(1, impl_->keyOf(wanted.runId));
        query->bind(2, wanted.name);
        query->bind(3, wanted.afterRowid);
        MetricAnswer answer{.lastRowid = wanted.afterRowid};
        while (query->executeStep()) {
            answer.lastRowid = query->getColumn(0).getInt64();
            const MetricSample sample = metricSample(*query);
            if (!wanted.rank || *wanted.rank == sample.rank) answer.samples.push_back(sample);
        }
        return answer;
    });
}

Result<std::vector<MetricSum>> RunReader::metricSums(const std::string& runId, const std::string& name) {
    return impl_->guard([&]() -> Result<std::vector<MetricSum>> {
        const auto query = impl_->statements.take(
            "SELECT rank, count(value), total(value) FROM metric "
            "WHERE run = ? AND name = (SELECT id FROM metric_name WHERE name = ?) GROUP BY rank ORDER BY rank");
        query->bind(1, impl_->keyOf(runId));
        query->bind(2, name);
        std::vector<MetricSum> sums;
        while (query->executeStep()) {
            sums.push_back(
                {query->getColumn(0).getInt(), query->getColumn(1).getInt64(), query->getColumn(2).getDouble()});
        }
        return sums;
    });
}

Result<Ns> RunReader::newestInstant(const std::string& runId) {
    return impl_->guard([&]() -> Result<Ns> { return impl_->integerOf(runId, "newest_ns"); });
}

Status RunReader::checkIntegrity() {
    return guarded(impl_->file, [&]() -> Status {
        const std::string verdict = impl_->database.execAndGet("PRAGMA integrity_check").getString();
        if (verdict == "ok") return {};
        return fail(impl_->file.string() + " is damaged: " + verdict +
                    ". Keep a copy; what can be read can be exported");
    });
}

std::string sqliteVersion() { return SQLite::getLibVersion(); }

}  // namespace dasgd::storage
