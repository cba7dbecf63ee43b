#include "storage/mirror/row_writer.h"

#include <algorithm>
#include <vector>

#include "storage/levels/span_row.h"

namespace dasgd::storage {

namespace {

constexpr std::int64_t kRowsOfMirroredChunk = 8192;  // as a collector's

}  // namespace

// Rows of `span` that follow one another and are of one run.
struct RowWriter::Chunk {
    std::int64_t first = 0, last = -1;
    Ns start = INT64_MAX, end = INT64_MIN;
    [[nodiscard]] std::int64_t rows() const { return last - first + 1; }
};

RowWriter::RowWriter(SQLite::Database& database)
    : database_(database),
      metric_(database,
              "INSERT INTO metric (run, name, rank, step, epoch, wall_ns, samples, bytes_sent, value) "
              "VALUES (?,?,?,?,?,?,?,?,?)"),
      span_(database, "INSERT INTO span (tag, step, start_ns, duration_ns, bytes, collective) VALUES (?,?,?,?,?,?)"),
      event_(database, "INSERT INTO state_event (run, rank, state, step, text) VALUES (?,?,?,?,?)"),
      chunk_(database,
             "INSERT INTO span_chunk (run, first_id, last_id, min_start, max_end) VALUES (?,?,?,?,?) ON CONFLICT "
             "(run, first_id) DO UPDATE SET "
             "last_id = excluded.last_id, min_start = excluded.min_start, max_end = excluded.max_end") {}

std::int64_t RowWriter::write(std::int64_t runKey, const MirrorPart& part, RowPositions& from) {
    return writeMetrics(runKey, part, from.metric) + writeSpans(runKey, part, from.span) +
           writeEvents(runKey, part, from.event);
}

std::int64_t RowWriter::nameKey(const std::string& name) {
    if (const auto known = names_.find(name); known != names_.end()) return known->second;
    SQLite::Statement insert(database_, "INSERT OR IGNORE INTO metric_name (name) VALUES (?)");
    insert.bind(1, name);
    insert.exec();
    SQLite::Statement query(database_, "SELECT id FROM metric_name WHERE name = ?");
    query.bind(1, name);
    query.executeStep();
    return names_.emplace(name, query.getColumn(0).getInt64()).first->second;
}

std::int64_t RowWriter::writeMetrics(std::int64_t runKey, const MirrorPart& part, std::int64_t& after) {
    std::vector<std::int64_t> keys(part.names.size(), 0);
    std::int64_t written = 0;
    for (const MirroredMetric& row : part.metrics) {
        if (row.id <= after) continue;
        std::int64_t& key = keys[row.name];
        if (key == 0) key = nameKey(part.names[row.name]);
        metric_.bind(1, runKey);
        metric_.bind(2, key);
        metric_.bind(3, static_cast<std::int64_t>(row.rank));
        metric_.bind(4, row.step);
        metric_.bind(5, row.epoch);  // SQLite stores NaN as NULL
        metric_.bind(6, row.wall);
        metric_.bind(7, row.samples);
        metric_.bind(8, row.bytesSent);
        metric_.bind(9, row.value);
        metric_.run();
        after = row.id;
        ++written;
    }
    return written;
}

// The run's newest chunk, where the next row would follow it and no level of detail is over it yet.
RowWriter::Chunk RowWriter::lastChunk(std::int64_t runKey) {
    SQLite::Statement query(database_,
                            "SELECT first_id, last_id, min_start, max_end FROM span_chunk WHERE run = ? AND node = 0 "
                            "AND last_id = (SELECT max(id) FROM span) ORDER BY first_id DESC LIMIT 1");
    query.bind(1, runKey);
    if (!query.executeStep()) return {};
    return {.first = query.getColumn(0).getInt64(),
            .last = query.getColumn(1).getInt64(),
            .start = query.getColumn(2).getInt64(),
            .end = query.getColumn(3).getInt64()};
}

void RowWriter::store(std::int64_t runKey, const Chunk& chunk) {
    if (chunk.rows() <= 0) return;
    chunk_.bind(1, runKey);
    chunk_.bind(2, chunk.first);
    chunk_.bind(3, chunk.last);
    chunk_.bind(4, chunk.start);
    chunk_.bind(5, chunk.end);
    chunk_.run();
}

std::int64_t RowWriter::writeSpans(std::int64_t runKey, const MirrorPart& part, std::int64_t& after) {
    if (part.spans.empty()) return 0;
    Chunk chunk = lastChunk(runKey);
    std::int64_t written = 0;
    auto label = part.labels.begin();
    for (const MirroredSpan& row : part.spans) {
        const bool isNew = row.id > after;
        while (label != part.labels.end() && label->span < row.id) ++label;
        if (!isNew) continue;
        span_.bind(1, row.tag);
        span_.bind(2, row.step);
        span_.bind(3, row.start);
        span_.bind(4, row.duration);
        span_.bind(5, row.bytes);
        span_.bind(6, row.collective);
        span_.run();
        const std::int64_t id = sqlite3_last_insert_rowid(database_.getHandle());
        if (id != chunk.last + 1 || chunk.rows() >= kRowsOfMirroredChunk) {
            store(runKey, chunk);
            chunk = {.first = id};
        }
        chunk.last = id;
        chunk.start = std::min(chunk.start, row.start);
        chunk.end = std::max(chunk.end, boundedSum(row.start, row.duration));
        if (label != part.labels.end() && label->span == row.id) writeLabel(id, label->name);
        after = row.id;
        ++written;
    }
    store(runKey, chunk);
    return written;
}

void RowWriter::writeLabel(std::int64_t row, const std::string& name) {
    SQLite::Statement insert(database_, "INSERT OR IGNORE INTO span_name (name) VALUES (?)");
    insert.bind(1, name);
    insert.exec();
    SQLite::Statement link(database_, "INSERT INTO span_label (span, name) SELECT ?, id FROM span_name WHERE name = ?");
    link.bind(1, row);
    link.bind(2, name);
    link.exec();
}

std::int64_t RowWriter::writeEvents(std::int64_t runKey, const MirrorPart& part, std::int64_t& after) {
    std::int64_t written = 0;
    for (const MirroredEvent& row : part.events) {
        if (row.id <= after) continue;
        event_.bind(1, runKey);
        event_.bind(2, static_cast<std::int64_t>(row.rank));
        event_.bind(3, static_cast<std::int64_t>(row.state));
        event_.bind(4, row.step);
        event_.bind(5, row.text);
        event_.run();
        after = row.id;
        ++written;
    }
    return written;
}

}  // namespace dasgd::storage
