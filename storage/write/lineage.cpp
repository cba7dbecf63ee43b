#include "storage/write/lineage.h"

#include "core/base/metric_names.h"

namespace dasgd::storage {

namespace {

void copyMetrics(SQLite::Database& database, std::int64_t from, std::int64_t to, std::int64_t step) {
    SQLite::Statement copy(database,
                           "INSERT INTO metric (run, name, rank, step, epoch, wall_ns, samples, bytes_sent, value) "
                           "SELECT ?, name, rank, step, epoch, wall_ns, samples, bytes_sent, value FROM metric "
                           "WHERE run = ? AND step <= ? ORDER BY id");
    copy.bind(1, to);
    copy.bind(2, from);
    copy.bind(3, step);
    copy.exec();
}

bool haveAsManyWorkers(SQLite::Database& database, std::int64_t one, std::int64_t other) {
    SQLite::Statement query(database, "SELECT count(DISTINCT workers) = 1 FROM run WHERE id IN (?, ?)");
    query.bind(1, one);
    query.bind(2, other);
    return query.executeStep() && query.getColumn(0).getInt() != 0;
}

// Computes the summary of the records that were taken over; a collector computes it for records that arrive.
void formSummary(SQLite::Database& database, std::int64_t run) {
    SQLite::Statement form(
        database,
        "WITH own AS (SELECT metric.id, metric_name.name, value FROM metric JOIN metric_name "
        "ON metric_name.id = metric.name WHERE metric.run = :run AND metric_name.name IN (:train, :loss, :accuracy, "
        ":chosen)) "
        "UPDATE run SET loss_min = (SELECT min(value) FROM own WHERE name = :train), "
        "loss_max = (SELECT max(value) FROM own WHERE name = :train), "
        "evaluated = EXISTS (SELECT 1 FROM own WHERE name = :loss), "
        "eval_loss = (SELECT value FROM own WHERE name = :loss ORDER BY id DESC LIMIT 1), "
        "best_accuracy = ifnull((SELECT value FROM own WHERE name = :chosen ORDER BY id DESC LIMIT 1), "
        "(SELECT max(value) FROM own WHERE name = :accuracy)) WHERE id = :run");
    form.bind(":run", run);
    form.bind(":train", metrics::kTrainLoss);
    form.bind(":loss", metrics::kEvalLoss);
    form.bind(":accuracy", metrics::kEvalAccuracy);
    form.bind(":chosen", metrics::kEvalChosenAccuracy);
    form.exec();
}

}  // namespace

Status takeOverHistory(SQLite::Database& database, const RunInfo& info) {
    if (info.resumedFrom.empty()) return {};
    const auto keyOf = [&](const std::string& runId) -> Result<std::int64_t> {
        SQLite::Statement query(database, "SELECT id FROM run WHERE run_id = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return fail("the workspace has no run " + runId + " to go on from");
        return query.getColumn(0).getInt64();
    };
    DASGD_ASSIGN(const std::int64_t from, keyOf(info.resumedFrom));
    DASGD_ASSIGN(const std::int64_t to, keyOf(info.runId));
    SQLite::Statement insert(database, "INSERT INTO run_lineage (run, resumed_from, resumed_step) VALUES (?, ?, ?)");
    insert.bind(1, to);
    insert.bind(2, info.resumedFrom);
    insert.bind(3, info.resumedStep);
    insert.exec();
    // With another number of workers the steps, bytes per rank and ranks of the earlier run do not fit this one.
    if (!haveAsManyWorkers(database, from, to)) return {};
    copyMetrics(database, from, to, info.resumedStep);
    formSummary(database, to);
    return {};
}

}  // namespace dasgd::storage
