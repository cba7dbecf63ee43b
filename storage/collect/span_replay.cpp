#include "storage/collect/span_replay.h"

#include <limits>
#include <queue>
#include <unordered_set>
#include <vector>

#include "storage/base/database.h"
#include "storage/levels/span_row.h"

namespace dasgd::storage {

namespace {

struct Ahead {
    RankSpan row;
    bool mayBeDivided = true;
    // A window comes after what it covers.
    [[nodiscard]] Ns place() const { return row.span.kind == SpanKind::Window ? row.span.end : row.span.start; }
    bool operator<(const Ahead& other) const { return place() > other.place(); }  // the earliest on top
};

// Rows of reduces that other ranks may still report.
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
    std::priority_queue<Ahead> ahead;
    const auto tellUntil = [&](Ns instant) {
        for (; !ahead.empty() && ahead.top().place() < instant; ahead.pop()) {
            const auto& [row, mayBeDivided] = ahead.top();
            take(row.rank, row.span, mayBeDivided);
        }
    };
    SQLite::Statement chunks(database,
                             "SELECT min_start, first_id, last_id FROM span_chunk WHERE run = ? ORDER BY min_start");
    HotStatement rows(database,
                      "SELECT tag, step, start_ns, duration_ns, bytes, collective, id FROM span "
                      "WHERE id BETWEEN ? AND ?");
    chunks.bind(1, runKey);
    while (chunks.executeStep()) {
        tellUntil(chunks.getColumn(0).getInt64());
        rows.bind(1, chunks.getColumn(1).getInt64());
        rows.bind(2, chunks.getColumn(2).getInt64());
        int outcome = sqlite3_step(rows.get());
        for (; outcome == SQLITE_ROW; outcome = sqlite3_step(rows.get())) {
            const RankSpan row = spanOfRow(rows.get());
            const bool undivided = row.span.kind == SpanKind::Reduce && row.span.collective != 0;
            ahead.push({row, !undivided || waiting.contains(sqlite3_column_int64(rows.get(), 6))});
        }
        sqlite3_reset(rows.get());
        if (outcome != SQLITE_DONE) throw SQLite::Exception(database.getHandle(), outcome);
    }
    tellUntil(std::numeric_limits<Ns>::max());
}

}  // namespace dasgd::storage
