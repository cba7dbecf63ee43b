#include "storage/collect/span_replay.h"

#include <limits>
#include <queue>
#include <unordered_set>
#include <vector>

#include "storage/base/database.h"
#include "storage/levels/span_row.h"

namespace dasgd::storage {

namespace {

// A row that was read and not passed on yet.
struct HeldRow {
    RankSpan row;
    bool neverDivided = false;
    // Instant by which rows are ordered: the start of a span; the end of a window, which comes after what it covers.
    [[nodiscard]] Ns instant() const { return row.span.kind == SpanKind::Window ? row.span.end : row.span.start; }
    bool operator<(const HeldRow& other) const { return instant() > other.instant(); }  // the earliest is the top
};

// Ids of the rows of undivided reduces whose collectives other ranks may still report.
std::unordered_set<std::int64_t> waitingRows(SQLite::Database& database, std::int64_t runKey) {
    std::unordered_set<std::int64_t> rows;
    SQLite::Statement query(database, "SELECT span FROM arrival WHERE run = ? AND span IS NOT NULL");
    query.bind(1, runKey);
    while (query.executeStep()) rows.insert(query.getColumn(0).getInt64());
    return rows;
}

}  // namespace

void replaySpans(SQLite::Database& database, std::int64_t runKey, const TakeReplayed& take) {
    const std::unordered_set<std::int64_t> waiting = waitingRows(database, runKey);
    std::priority_queue<HeldRow> held;
    const auto passOnUntil = [&](Ns instant) {
        for (; !held.empty() && held.top().instant() < instant; held.pop()) {
            const auto& [row, neverDivided] = held.top();
            take(row.rank, row.span, neverDivided);
        }
    };
    SQLite::Statement chunks(database,
                             "SELECT min_start, first_id, last_id FROM span_chunk WHERE run = ? ORDER BY min_start");
    HotStatement rows(database,
                      "SELECT tag, step, start_ns, duration_ns, bytes, collective, id FROM span "
                      "WHERE id BETWEEN ? AND ?");
    chunks.bind(1, runKey);
    while (chunks.executeStep()) {
        passOnUntil(chunks.getColumn(0).getInt64());
        rows.bind(1, chunks.getColumn(1).getInt64());
        rows.bind(2, chunks.getColumn(2).getInt64());
        int outcome = sqlite3_step(rows.get());
        for (; outcome == SQLITE_ROW; outcome = sqlite3_step(rows.get())) {
            const RankSpan row = spanOfRow(rows.get());
            const bool undivided = row.span.kind == SpanKind::Reduce && row.span.collective != 0;
            held.push({row, undivided && !waiting.contains(sqlite3_column_int64(rows.get(), 6))});
        }
        sqlite3_reset(rows.get());
        if (outcome != SQLITE_DONE) throw SQLite::Exception(database.getHandle(), outcome);
    }
    passOnUntil(std::numeric_limits<Ns>::max());
}

}  // namespace dasgd::storage
