#include "storage/mirror/run_rows.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace dasgd::storage {

namespace {

constexpr std::int64_t kRowsOfEvent = 16;  // its text may be long
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

double realOf(sqlite3_stmt* row, int column) {
    return sqlite3_column_type(row, column) == SQLITE_NULL ? kNoNumber : sqlite3_column_double(row, column);
}

std::int32_t smallOf(sqlite3_stmt* row, int column) {
    return static_cast<std::int32_t>(sqlite3_column_int64(row, column));
}

}  // namespace

RunRows::RunRows(SQLite::Database& database)
    : database_(database),
      // One probe of the index a name and end, however many rows there are.
      metricBounds_(database,
                    "SELECT min(first), max(last) FROM (SELECT "
                    "(SELECT min(id) FROM metric WHERE run = ?1 AND name = metric_name.id AND id > ?2) AS first, "
                    "(SELECT max(id) FROM metric WHERE run = ?1 AND name = metric_name.id) AS last FROM metric_name)"),
      // By their ids, as the index of the run would have to be sorted.
      metrics_(database,
               "SELECT id, name, rank, step, epoch, wall_ns, samples, bytes_sent, value FROM metric "
               "WHERE id BETWEEN ? AND ? AND +run = ? ORDER BY id LIMIT ?"),
      pending_(database, "SELECT min(span) FROM arrival WHERE run = ?"),
      chunks_(database,
              "SELECT first_id, last_id FROM span_chunk WHERE run = ? AND last_id > ? AND first_id < ? "
              "ORDER BY first_id"),
      spans_(database,
             "SELECT id, tag, step, start_ns, duration_ns, bytes, collective FROM span WHERE id BETWEEN ? AND ? "
             "ORDER BY id LIMIT ?"),
      labels_(database,
              "SELECT span, span_name.name FROM span_label JOIN span_name ON span_name.id = span_label.name "
              "WHERE span BETWEEN ? AND ? ORDER BY span"),
      events_(database,
              "SELECT id, rank, state, step, text FROM state_event WHERE run = ? AND id > ? ORDER BY id LIMIT ?") {}

bool RunRows::read(std::int64_t runKey, RowPositions& from, std::int64_t most, MirrorPart& part) {
    const bool metrics = readMetrics(runKey, from.metric, most, part);
    const bool spans = readSpans(runKey, from.span, most, part);
    const bool events = readEvents(runKey, from.event, std::max<std::int64_t>(1, most / kRowsOfEvent), part);
    return metrics && spans && events;
}

const std::string& RunRows::nameOf(std::int64_t key) {
    const auto known = names_.find(key);
    if (known != names_.end()) return known->second;
    SQLite::Statement query(database_, "SELECT name FROM metric_name WHERE id = ?");
    query.bind(1, key);
    return names_.emplace(key, query.executeStep() ? query.getColumn(0).getString() : "").first->second;
}

bool RunRows::readMetrics(std::int64_t runKey, std::int64_t& after, std::int64_t most, MirrorPart& part) {
    metricBounds_.reset();
    metricBounds_.bind(1, runKey);
    metricBounds_.bind(2, after);
    metricBounds_.executeStep();
    const bool any = !metricBounds_.getColumn(0).isNull();
    const std::int64_t first = metricBounds_.getColumn(0).getInt64(), last = metricBounds_.getColumn(1).getInt64();
    metricBounds_.reset();
    if (!any) return true;
    std::map<std::int64_t, std::uint32_t> places;
    metrics_.bind(1, first);
    metrics_.bind(2, last);
    metrics_.bind(3, runKey);
    metrics_.bind(4, most);
    eachRow(metrics_, [&](sqlite3_stmt* row) {
        const std::int64_t name = sqlite3_column_int64(row, 1);
        const auto [place, isNew] = places.emplace(name, static_cast<std::uint32_t>(part.names.size()));
        if (isNew) part.names.push_back(nameOf(name));
        after = sqlite3_column_int64(row, 0);
        part.metrics.push_back({.id = after,
                                .name = place->second,
                                .rank = smallOf(row, 2),
                                .step = sqlite3_column_int64(row, 3),
                                .epoch = realOf(row, 4),
                                .wall = sqlite3_column_int64(row, 5),
                                .samples = sqlite3_column_int64(row, 6),
                                .bytesSent = sqlite3_column_int64(row, 7),
                                .value = realOf(row, 8)});
    });
    return after >= last;
}

bool RunRows::readSpans(std::int64_t runKey, std::int64_t& after, std::int64_t most, MirrorPart& part) {
    pending_.reset();
    pending_.bind(1, runKey);
    pending_.executeStep();
    const std::int64_t end = pending_.getColumn(0).isNull() ? INT64_MAX : pending_.getColumn(0).getInt64();
    pending_.reset();
    chunks_.reset();
    chunks_.bind(1, runKey);
    chunks_.bind(2, after);
    chunks_.bind(3, end);
    bool all = true;
    while (all && chunks_.executeStep()) {
        const std::int64_t first = std::max(chunks_.getColumn(0).getInt64(), after + 1);
        const std::int64_t last = std::min(chunks_.getColumn(1).getInt64(), end - 1);
        if (first > last) continue;
        const std::int64_t room = most - static_cast<std::int64_t>(part.spans.size());
        all = room >= last - first + 1;
        if (room <= 0) break;
        spans_.bind(1, first);
        spans_.bind(2, last);
        spans_.bind(3, room);
        eachRow(spans_, [&](sqlite3_stmt* row) {
            after = sqlite3_column_int64(row, 0);
            part.spans.push_back({.id = after,
                                  .tag = sqlite3_column_int64(row, 1),
                                  .step = sqlite3_column_int64(row, 2),
                                  .start = sqlite3_column_int64(row, 3),
                                  .duration = sqlite3_column_int64(row, 4),
                                  .bytes = sqlite3_column_int64(row, 5),
                                  .collective = sqlite3_column_int64(row, 6)});
        });
        readLabels(first, after, part);
    }
    chunks_.reset();
    return all;
}

void RunRows::readLabels(std::int64_t first, std::int64_t last, MirrorPart& part) {
    labels_.reset();
    labels_.bind(1, first);
    labels_.bind(2, last);
    while (labels_.executeStep()) {
        part.labels.push_back({labels_.getColumn(0).getInt64(), labels_.getColumn(1).getString()});
    }
    labels_.reset();
}

bool RunRows::readEvents(std::int64_t runKey, std::int64_t& after, std::int64_t most, MirrorPart& part) {
    events_.reset();
    events_.bind(1, runKey);
    events_.bind(2, after);
    events_.bind(3, most);
    std::int64_t count = 0;
    for (; events_.executeStep(); ++count) {
        after = events_.getColumn(0).getInt64();
        part.events.push_back({.id = after,
                               .rank = events_.getColumn(1).getInt(),
                               .state = events_.getColumn(2).getInt(),
                               .step = events_.getColumn(3).getInt64(),
                               .text = events_.getColumn(4).getString()});
    }
    events_.reset();
    return count < most;
}

}  // namespace dasgd::storage
