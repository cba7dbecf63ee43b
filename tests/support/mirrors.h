// Runs that go from one workspace to another: many records at once, and what there is of a run at either end.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "storage/mirror/mirror_sink.h"
#include "storage/mirror/workspace_source.h"
#include "tests/support/runs.h"

namespace dasgd::test {

// Contents of a run's tables, without the numbers that are of one database: equal here and there where nothing is
// missing, changed, or there twice. The hash goes over the rows in their order.
struct RunContent {
    std::int64_t metrics = 0, spans = 0, events = 0, ranks = 0;
    std::uint64_t hash = 14'695'981'039'346'656'037ULL;
    std::string row;  // of the run itself
    bool operator==(const RunContent&) const = default;
};

inline std::int64_t foldRows(const std::filesystem::path& database, const std::string& sql, const std::string& id,
                             std::uint64_t& hash, std::string* text = nullptr) {
    SQLite::Database opened(database.string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(opened, sql);
    query.bind(1, id);
    std::int64_t rows = 0;
    for (; query.executeStep(); ++rows) {
        for (int place = 0; place < query.getColumnCount(); ++place) {
            const SQLite::Column column = query.getColumn(place);
            const std::string value = column.isNull() ? "NULL" : column.getString();
            for (const char each : value + "|") {
                hash = (hash ^ static_cast<unsigned char>(each)) * 1'099'511'628'211ULL;
            }
            if (text) *text += value + "|";
        }
    }
    return rows;
}

inline RunContent contentOfRun(const std::filesystem::path& workspace, const std::string& id) {
    RunContent content;
    const auto fold = [&](const std::string& sql, std::string* text = nullptr) {
        return foldRows(workspace / "lab.db", sql, id, content.hash, text);
    };
    content.metrics = fold(
        "SELECT metric_name.name, rank, step, epoch, wall_ns, samples, bytes_sent, value FROM metric JOIN metric_name "
        "ON metric_name.id = metric.name WHERE run = (SELECT id FROM run WHERE run_id = ?) ORDER BY metric.id");
    content.spans = fold(
        "SELECT tag, step, start_ns, duration_ns, bytes, collective, (SELECT name FROM span_name WHERE id = "
        "(SELECT name FROM span_label WHERE span_label.span = span.id)) FROM run JOIN span_chunk ON span_chunk.run = "
        "run.id JOIN span ON span.id BETWEEN first_id AND last_id WHERE run_id = ? ORDER BY span.id");
    content.events = fold(
        "SELECT rank, state, step, text FROM state_event WHERE run = (SELECT id FROM run WHERE run_id = ?) "
        "ORDER BY state_event.id");
    content.ranks = fold(
        "SELECT rank, sequence, events, state, rank_state.step, train_loss, hidden_s, outcome, state_text FROM "
        "rank_state WHERE run = (SELECT id FROM run WHERE run_id = ?) ORDER BY rank");
    // Columns of the run but for its origin, and for the queue of the workspace that it waits in.
    fold(
        "SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at, wall_s, steps, samples, "
        "bytes_sent, final_loss, best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error, step_ms, "
        "skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s, planned_steps, series, "
        "series_place, series_size, resumed_from, resumed_step, ended_at FROM run_list WHERE run_id = ?",
        &content.row);
    fold("SELECT key, symbol, unit, default_value FROM setting_list WHERE run_id = ? ORDER BY key");
    fold("SELECT place, kind, name, bits_per_s, memory_bytes FROM hardware_list WHERE run_id = ? ORDER BY place");
    return content;
}

// Puts so many metrics and spans of one rank behind those of a run, faster than a collector would.
inline void addRecords(const std::filesystem::path& workspace, const std::string& id, int metrics, int spans) {
    SQLite::Database database((workspace / "lab.db").string(), SQLite::OPEN_READWRITE);
    database.setBusyTimeout(20'000);
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    database.exec("INSERT OR IGNORE INTO metric_name (name) VALUES ('train/loss'), ('eval/loss')");
    const std::string run = "(SELECT id FROM run WHERE run_id = '" + id + "')";
    const auto count = [](int rows) {
        return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(rows) +
               ") ";
    };
    if (metrics > 0) {
        database.exec(
            "INSERT INTO metric (run, name, rank, step, epoch, wall_ns, samples, bytes_sent, value) " + count(metrics) +
            "SELECT " + run +
            ", (SELECT id FROM metric_name WHERE name = CASE i % 10 WHEN 0 THEN 'eval/loss' ELSE 'train/loss' "
            "END), i % 4, i, i / 10.0, i * 1000, i * 32, i * 100, CASE i % 97 WHEN 0 THEN NULL ELSE 1.0 / i END "
            "FROM n");
    }
    const std::int64_t first = database.execAndGet("SELECT ifnull(max(id), 0) + 1 FROM span").getInt64();
    if (spans > 0) {
        database.exec("INSERT INTO span (tag, step, start_ns, duration_ns, bytes, collective) " + count(spans) +
                      "SELECT (i % 4) * 256 + i % 4, i / 4, i * 1000, 900, i % 7, 0 FROM n");
    }
    for (std::int64_t done = 0; done < spans; done += 8192) {
        const std::int64_t rows = std::min<std::int64_t>(8192, spans - done);
        SQLite::Statement chunk(
            database,
            "INSERT INTO span_chunk (run, first_id, last_id, min_start, max_end) VALUES (" + run + ", ?, ?, ?, ?)");
        chunk.bind(1, first + done);
        chunk.bind(2, first + done + rows - 1);
        chunk.bind(3, (done + 1) * 1000);
        chunk.bind(4, (done + rows) * 1000 + 900);
        chunk.exec();
    }
    database.exec("UPDATE run SET spans = spans + " + std::to_string(spans) + " WHERE run_id = '" + id + "'");
    transaction.commit();
}

inline std::unique_ptr<storage::WorkspaceSource> sourceOf(const std::filesystem::path& where) {
    return orDie(storage::WorkspaceSource::open(where, storage::WorkspaceSource::Files::ConfigAndLogs));
}
inline std::unique_ptr<storage::MirrorSink> sinkFor(const std::filesystem::path& workspace,
                                                    const storage::WorkspaceSource& source,
                                                    const std::string& origin = "ssh://login/lab") {
    return orDie(
        storage::MirrorSink::open(workspace, {.workspace = source.identity(), .origin = origin, .program = "dasgd"}));
}

// Parts until everything is told, or `most` of them; answers how many.
inline int moveParts(storage::WorkspaceSource& source, storage::MirrorSink& sink, int most = 1 << 30) {
    int parts = 0;
    while (parts < most) {
        const auto part = orDie(source.next());
        if (!part && source.isCurrent()) break;
        if (!part || part->empty()) continue;
        orDie(sink.apply(*part));
        ++parts;
    }
    return parts;
}

// The same from the beginning, as after a connection was made. Answers how many records were stored.
inline std::int64_t mirrorOnce(const std::filesystem::path& from, const std::filesystem::path& to,
                               const std::string& origin = "ssh://login/lab") {
    const auto source = sourceOf(from);
    const auto sink = sinkFor(to, *source, origin);
    source->start(orDie(sink->known()));
    moveParts(*source, *sink);
    return sink->stored();
}

}  // namespace dasgd::test
