#include "storage/read/span_reader.h"

#include <algorithm>
#include <array>
#include <map>

#include "storage/levels/span_row.h"
#include "storage/read/read_connection.h"

namespace dasgd::storage {

namespace {

constexpr std::int64_t kMostAtOnce = 65536;  // rows that are made room for because the database says so

std::int64_t lastOf(const SpanPart& part) { return boundedSum(part.id, boundedSum(part.rows, -1)); }

// Columns first_id, last_id, min_start, max_end, node.
SpanPart chunkPart(sqlite3_stmt* row) {
    const std::int64_t first = sqlite3_column_int64(row, 0);
    const std::int64_t last = sqlite3_column_int64(row, 1);
    return {.id = first,
            .level = 0,
            .range = {sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3)},
            .rows = last < first ? 0 : boundedSum(boundedSum(last, first == INT64_MIN ? INT64_MAX : -first), 1),
            .settled = sqlite3_column_int64(row, 4) != 0};
}

// Columns id, level, min_start, max_end, width_ns, rows.
SpanPart nodePart(sqlite3_stmt* row) {
    return {.id = sqlite3_column_int64(row, 0),
            .level = static_cast<int>(sqlite3_column_int64(row, 1)),
            .range = {sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3)},
            .width = sqlite3_column_int64(row, 4),
            .rows = sqlite3_column_int64(row, 5),
            .settled = true};
}

std::string textOf(sqlite3_stmt* row, int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))) : std::string();
}

// Names of the states, by the numbers of storage/format.md.
constexpr std::array kStateNames{"starting", "running", "finished", "failed", "stopped"};

std::string stateName(const SQLite::Column& column) {
    if (column.isNull()) return "";
    const auto state = static_cast<std::size_t>(column.getInt64());
    return state < kStateNames.size() ? kStateNames[state] : "";
}

}  // namespace

SpanReader::SpanReader(std::shared_ptr<ReadConnection> connection) : connection_(std::move(connection)) {}

Result<SpanReader> SpanReader::open(const std::filesystem::path& workspace) {
    DASGD_ASSIGN(auto connection, ReadConnection::open(workspace));
    return SpanReader(std::move(connection));
}

Result<std::vector<SpanRow>> SpanReader::touching(const std::string& runId, TimeRange range,
                                                  std::optional<std::size_t> limit) {
    return connection_->guard([&]() -> Result<std::vector<SpanRow>> {
        const auto query = connection_->hotStatements.take(
            "SELECT tag, step, start_ns, duration_ns, bytes, collective FROM span_chunk CROSS JOIN span "
            "ON span.id BETWEEN first_id AND last_id "
            "WHERE run = ?1 AND max_end >= ?2 AND min_start <= ?3 "
            "AND start_ns <= ?3 AND start_ns + duration_ns >= ?2 LIMIT ?4");
        query->bind(1, connection_->keyOf(runId));
        query->bind(2, range.start);
        query->bind(3, range.end);
        query->bind(4, limit ? static_cast<std::int64_t>(*limit) : std::int64_t{-1});
        std::vector<SpanRow> rows;
        eachRow(*query, [&](sqlite3_stmt* row) { return rows.push_back(spanOfRow(row)), true; });
        std::sort(rows.begin(), rows.end(), [](const SpanRow& a, const SpanRow& b) {
            return std::pair(a.rank, a.span.start) < std::pair(b.rank, b.span.start);
        });
        return rows;
    });
}

Result<std::vector<SpanRow>> SpanReader::ofKinds(const std::string& runId, TimeRange range,
                                                 std::initializer_list<SpanKind> kinds) {
    return connection_->guard([&]() -> Result<std::vector<SpanRow>> {
        const auto query = connection_->hotStatements.take(
            "SELECT tag, step, start_ns, duration_ns, bytes, collective FROM span_chunk CROSS JOIN span "
            "ON span.id BETWEEN first_id AND last_id "
            "WHERE run = ?1 AND max_end >= ?2 AND min_start <= ?3 AND (?4 >> (tag & 63)) & 1 "
            "AND start_ns <= ?3 AND start_ns + duration_ns >= ?2");
        std::int64_t wanted = 0;
        for (const SpanKind kind : kinds) wanted |= std::int64_t{1} << tagOf(0, {.lane = Lane{}, .kind = kind});
        query->bind(1, connection_->keyOf(runId));
        query->bind(2, range.start);
        query->bind(3, range.end);
        query->bind(4, wanted);
        std::vector<SpanRow> rows;
        eachRow(*query, [&](sqlite3_stmt* row) { return rows.push_back(spanOfRow(row)), true; });
        return rows;
    });
}

Result<std::vector<NamedSpan>> SpanReader::named(const std::string& runId, TimeRange range) {
    return connection_->guard([&]() -> Result<std::vector<NamedSpan>> {
        const auto query = connection_->hotStatements.take(
            "SELECT tag, step, start_ns, duration_ns, bytes, collective, span_name.name FROM span_chunk "
            "CROSS JOIN span ON span.id BETWEEN first_id AND last_id "
            "LEFT JOIN span_label ON span_label.span = span.id "
            "LEFT JOIN span_name ON span_name.id = span_label.name "
            "WHERE run = ?1 AND max_end >= ?2 AND min_start <= ?3 "
            "AND start_ns <= ?3 AND start_ns + duration_ns >= ?2");
        query->bind(1, connection_->keyOf(runId));
        query->bind(2, range.start);
        query->bind(3, range.end);
        std::vector<NamedSpan> rows;
        eachRow(*query, [&](sqlite3_stmt* row) { return rows.push_back({spanOfRow(row), textOf(row, 6)}), true; });
        return rows;
    });
}

Result<std::string> SpanReader::name(const std::string& runId, const SpanRow& span) {
    return connection_->guard([&]() -> Result<std::string> {
        const auto query = connection_->hotStatements.take(
            "SELECT span_name.name FROM span_chunk "
            "CROSS JOIN span ON span.id BETWEEN first_id AND last_id "
            "CROSS JOIN span_label ON span_label.span = span.id "
            "CROSS JOIN span_name ON span_name.id = span_label.name "
            "WHERE run = ?1 AND max_end >= ?2 AND min_start <= ?2 "
            "AND start_ns = ?2 AND tag = ?3 LIMIT 1");
        query->bind(1, connection_->keyOf(runId));
        query->bind(2, span.span.start);
        query->bind(3, tagOf(span.rank, span.span));
        std::string name;
        eachRow(*query, [&](sqlite3_stmt* row) { return name = textOf(row, 0), false; });
        return name;
    });
}

Result<std::vector<std::pair<std::int64_t, std::string>>> SpanReader::labels(const SpanPart& part) {
    return connection_->guard([&]() -> Result<std::vector<std::pair<std::int64_t, std::string>>> {
        const auto query = connection_->hotStatements.take(
            "SELECT span_label.span - ?1, span_name.name FROM span_label "
            "CROSS JOIN span_name ON span_name.id = span_label.name "
            "WHERE span_label.span BETWEEN ?1 AND ?2");
        query->bind(1, part.id);
        query->bind(2, lastOf(part));
        std::vector<std::pair<std::int64_t, std::string>> labels;
        eachRow(*query, [&](sqlite3_stmt* row) {
            return labels.emplace_back(sqlite3_column_int64(row, 0), textOf(row, 1)), true;
        });
        return labels;
    });
}

Status SpanReader::each(const std::string& runId, const std::function<bool(const SpanRow&)>& take) {
    return connection_->guard([&]() -> Status {
        const auto query = connection_->hotStatements.take(
            "SELECT tag, step, start_ns, duration_ns, bytes, collective FROM span_chunk CROSS JOIN "
            "span ON span.id BETWEEN first_id AND last_id WHERE run = ? ORDER BY first_id, span.id");
        query->bind(1, connection_->keyOf(runId));
        eachRow(*query, [&](sqlite3_stmt* row) { return take(spanOfRow(row)); });
        return {};
    });
}

Result<std::vector<SpanPart>> SpanReader::roots(const std::string& runId) {
    return connection_->guard([&]() -> Result<std::vector<SpanPart>> {
        const std::int64_t run = connection_->keyOf(runId);
        std::vector<SpanPart> parts;
        const auto nodes = connection_->hotStatements.take(
            "SELECT id, level, min_start, max_end, width_ns, rows FROM span_node "
            "WHERE run = ? AND parent = 0 ORDER BY level DESC, id");
        nodes->bind(1, run);
        eachRow(*nodes, [&](sqlite3_stmt* row) { return parts.push_back(nodePart(row)), true; });
        const auto chunks = connection_->hotStatements.take(
            "SELECT first_id, last_id, min_start, max_end, node FROM span_chunk "
            "WHERE run = ? AND node <= 0 ORDER BY first_id");
        chunks->bind(1, run);
        eachRow(*chunks, [&](sqlite3_stmt* row) { return parts.push_back(chunkPart(row)), true; });
        return parts;
    });
}

Result<std::vector<SpanPart>> SpanReader::parts(const std::string& runId, const SpanPart& of) {
    return connection_->guard([&]() -> Result<std::vector<SpanPart>> {
        std::vector<SpanPart> parts;
        const auto query = connection_->hotStatements.take(
            of.level > 1 ? "SELECT id, level, min_start, max_end, width_ns, rows FROM span_node "
                           "WHERE run = ? AND parent = ? ORDER BY id"
                         : "SELECT first_id, last_id, min_start, max_end, node FROM span_chunk "
                           "WHERE run = ? AND node = ? ORDER BY first_id");
        query->bind(1, connection_->keyOf(runId));
        query->bind(2, of.id);
        eachRow(*query, [&](sqlite3_stmt* row) {
            return parts.push_back(of.level > 1 ? nodePart(row) : chunkPart(row)), true;
        });
        return parts;
    });
}

Result<SpanLevel> SpanReader::level(const SpanPart& part) {
    return connection_->guard([&]() -> Result<SpanLevel> {
        const auto query = connection_->hotStatements.take("SELECT sums FROM span_node WHERE id = ?");
        query->bind(1, part.id);
        Result<SpanLevel> level = fail("a level of detail of the run is gone; open the workspace again");
        eachRow(*query, [&](sqlite3_stmt* row) {
            const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, 0));
            level = decode({bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, 0))});
            return true;
        });
        return level;
    });
}

Result<std::vector<SpanRow>> SpanReader::rows(const SpanPart& part, std::int64_t skip) {
    return connection_->guard([&]() -> Result<std::vector<SpanRow>> {
        const auto query = connection_->hotStatements.take(
            "SELECT tag, step, start_ns, duration_ns, bytes, collective FROM span WHERE id BETWEEN ? AND ?");
        query->bind(1, boundedSum(part.id, skip));
        query->bind(2, lastOf(part));
        std::vector<SpanRow> rows;
        rows.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(boundedSum(part.rows, -skip), 0, kMostAtOnce)));
        eachRow(*query, [&](sqlite3_stmt* row) { return rows.push_back(spanOfRow(row)), true; });
        return rows;
    });
}

Result<std::optional<TimeRange>> SpanReader::extent(const std::string& runId) {
    return connection_->guard([&]() -> Result<std::optional<TimeRange>> {
        const auto query = connection_->statements.take("SELECT first_span_ns, last_span_ns FROM run WHERE run_id = ?");
        query->bind(1, runId);
        if (!query->executeStep() || query->getColumn(0).isNull()) return std::optional<TimeRange>();
        return std::optional(TimeRange{query->getColumn(0).getInt64(), query->getColumn(1).getInt64()});
    });
}

Result<std::int64_t> SpanReader::count(const std::string& runId) {
    return connection_->guard([&]() -> Result<std::int64_t> { return connection_->integerOf(runId, "spans"); });
}

Result<std::vector<RankLastSeen>> SpanReader::lastSeen(const std::string& runId) {
    return connection_->guard([&]() -> Result<std::vector<RankLastSeen>> {
        const std::int64_t run = connection_->keyOf(runId);
        const std::map<int, std::string> hosts = connection_->hostsOfRanks(run);
        std::map<int, SpanRow> last;
        for (const SpanRow& span : connection_->newestSpans(run)) {
            const auto [known, added] = last.try_emplace(span.rank, span);
            if (!added && span.span.end > known->second.span.end) known->second = span;
        }
        SQLite::Statement query(connection_->database,
                                "SELECT rank, state, state_text, step, newest_ns FROM rank_state WHERE run = ? "
                                "ORDER BY rank");
        query.bind(1, run);
        std::vector<RankLastSeen> ranks;
        while (query.executeStep()) {
            RankLastSeen seen{.rank = query.getColumn(0).getInt(),
                              .state = stateName(query.getColumn(1)),
                              .text = query.getColumn(2).getString(),
                              .step = query.getColumn(3).getInt64(),
                              .newest = query.getColumn(4).getInt64()};
            if (const auto host = hosts.find(seen.rank); host != hosts.end()) seen.host = host->second;
            if (const auto span = last.find(seen.rank); span != last.end()) seen.last = span->second;
            // The text of the first state is the rank's host.
            if (seen.state == kStateNames.front()) seen.text.clear();
            ranks.push_back(std::move(seen));
        }
        return ranks;
    });
}

}  // namespace dasgd::storage
