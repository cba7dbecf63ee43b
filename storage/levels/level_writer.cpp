#include "storage/levels/level_writer.h"

#include <algorithm>
#include <utility>

#include "storage/levels/span_row.h"

namespace dasgd::storage {

namespace {

// Buckets must hold several spans of each rank to be worth it.
constexpr std::int64_t kRowsOfRank = 64;
constexpr std::int64_t kMostRowsOfNode = 65536;
constexpr std::int64_t kRowsOfTransaction = 262'144;  // of a run that is caught up with
constexpr std::int64_t kNoLevel = -1;                 // span_chunk.node: too few rows

}  // namespace

struct LevelWriter::Statements {
    explicit Statements(SQLite::Database& database)
        : chunks(database, "SELECT first_id, last_id FROM span_chunk WHERE run = ? AND node = 0 ORDER BY first_id"),
          newest(database, "SELECT max(id) FROM span"),
          pending(database, "SELECT 1 FROM arrival WHERE run = ? AND span BETWEEN ? AND ? LIMIT 1"),
          rows(database,
               "SELECT tag, step, start_ns, duration_ns, bytes, collective FROM span WHERE id BETWEEN ? AND ?"),
          insert(database,
                 "INSERT INTO span_node (run, parent, level, rows, width_ns, min_start, max_end, entries, sums) "
                 "VALUES (?,0,?,?,?,?,?,?,?)"),
          assign(database, "UPDATE span_chunk SET node = ? WHERE run = ? AND first_id = ?"),
          children(database,
                   "SELECT id, rows, min_start, max_end, entries, sums FROM span_node "
                   "WHERE run = ? AND parent = 0 AND level = ? ORDER BY id LIMIT ?"),
          adopt(database, "UPDATE span_node SET parent = ? WHERE id = ?") {}
    SQLite::Statement chunks, newest, pending;
    HotStatement rows;
    SQLite::Statement insert, assign, children, adopt;
};

LevelWriter::LevelWriter(SQLite::Database& database, std::int64_t runKey, int workers)
    : database_(database),
      runKey_(runKey),
      rowsOfNode_(std::clamp(kRowsOfRank * workers, kRowsOfNode, kMostRowsOfNode)),
      statements_(std::make_unique<Statements>(database)) {}
LevelWriter::~LevelWriter() = default;

void LevelWriter::stored(std::int64_t id, int rank, const Span& span) {
    kept_.push_back({.id = id, .rank = rank, .span = span});
}

void LevelWriter::changed(std::int64_t id, int rank, const Span& span) {
    const auto place = std::lower_bound(kept_.begin(), kept_.end(), id,
                                        [](const Kept& kept, std::int64_t wanted) { return kept.id < wanted; });
    if (place != kept_.end() && place->id == id) *place = {.id = id, .rank = rank, .span = span};
}

void LevelWriter::settle(Rows rows) {
    if (rows == Rows::OfThisCollector && static_cast<std::int64_t>(kept_.size()) < rowsOfNode_) return;
    Chunks group;
    std::int64_t size = 0;
    std::int64_t made = 0;  // newest row that has a level now
    for (const Chunk& chunk : closedChunks()) {
        group.push_back(chunk);
        size += chunk.rows();
        if (size < rowsOfNode_) continue;
        if (!mayChange(group)) {
            makeLowest(group);
            made = chunk.last;
        }
        group.clear();
        size = 0;
    }
    if (made > 0) {
        forget(made);
        makeParents();
    }
    // Rows that wait for a rank are read back once it has reported; what comes meanwhile is not kept without end.
    if (static_cast<std::int64_t>(kept_.size()) > kMostRowsOfNode + 2 * rowsOfNode_) kept_.clear();
}

bool LevelWriter::finish(std::int64_t most) {
    Chunks group;
    std::int64_t size = 0, done = 0;
    for (const Chunk& chunk : chunksWithoutLevel()) {
        group.push_back(chunk);
        size += chunk.rows();
        if (size < rowsOfNode_) continue;
        makeLowest(group);
        done += std::exchange(size, 0);
        group.clear();
        if (done < most) continue;
        makeParents();
        return false;
    }
    if (size >= kLeastRows) {
        makeLowest(group);
    } else {
        assign(group, kNoLevel);
    }
    makeParents();
    return true;
}

LevelWriter::Chunks LevelWriter::chunksWithoutLevel() {
    auto& query = statements_->chunks;
    query.reset();
    query.bind(1, runKey_);
    Chunks chunks;
    while (query.executeStep()) chunks.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64()});
    query.reset();
    return chunks;
}

// The chunks without a level to which no collector adds rows any more. The rows of a chunk are consecutive, so only the
// chunk that holds the newest row of all runs can still grow.
LevelWriter::Chunks LevelWriter::closedChunks() {
    Chunks chunks = chunksWithoutLevel();
    auto& newest = statements_->newest;
    newest.reset();
    newest.executeStep();
    if (!chunks.empty() && chunks.back().last == newest.getColumn(0).getInt64()) chunks.pop_back();
    newest.reset();
    return chunks;
}

// An undivided reduce becomes a transfer when its last rank reports.
bool LevelWriter::mayChange(const Chunks& group) {
    auto& query = statements_->pending;
    query.reset();
    query.bind(1, runKey_);
    query.bind(2, group.front().first);
    query.bind(3, group.back().last);
    const bool pending = query.executeStep();
    query.reset();
    return pending;
}

void LevelWriter::assign(const Chunks& group, std::int64_t node) {
    auto& update = statements_->assign;
    for (const Chunk& chunk : group) {
        update.reset();
        update.bind(1, node);
        update.bind(2, runKey_);
        update.bind(3, chunk.first);
        update.exec();
    }
    update.reset();
}

void LevelWriter::makeLowest(const Chunks& group) {
    LevelBuilder builder;
    std::int64_t rows = 0;
    for (const Chunk& chunk : group) rows += chunk.rows();
    builder.reserve(static_cast<std::size_t>(rows));
    for (const Chunk& chunk : group) {
        if (!addKept(chunk, builder)) readBack(chunk, builder);
    }
    assign(group, insert(1, rows, builder.range(), builder, rows));
}

bool LevelWriter::addKept(const Chunk& chunk, LevelBuilder& builder) const {
    const auto first = std::lower_bound(kept_.begin(), kept_.end(), chunk.first,
                                        [](const Kept& kept, std::int64_t wanted) { return kept.id < wanted; });
    const auto rows = static_cast<std::ptrdiff_t>(chunk.rows());
    if (kept_.end() - first < rows || first->id != chunk.first || (first + (rows - 1))->id != chunk.last) return false;
    for (auto at = first; at != first + rows; ++at) builder.add(at->rank, at->span);
    return true;
}

void LevelWriter::readBack(const Chunk& chunk, LevelBuilder& builder) {
    HotStatement& query = statements_->rows;
    query.bind(1, chunk.first);
    query.bind(2, chunk.last);
    sqlite3_stmt* row = query.get();
    int outcome = sqlite3_step(row);
    for (; outcome == SQLITE_ROW; outcome = sqlite3_step(row)) {
        const RankSpan one = spanOfRow(row);
        builder.add(one.rank, one.span);
    }
    sqlite3_reset(row);
    if (outcome != SQLITE_DONE) throw SQLite::Exception(database_.getHandle(), outcome);
}

void LevelWriter::makeParents() {
    for (int level = 1; makeParent(level + 1); ++level) {
    }
}

// All that are due of this level; false: none was.
bool LevelWriter::makeParent(int level) {
    bool made = false;
    auto& query = statements_->children;
    for (;; made = true) {
        query.reset();
        query.bind(1, runKey_);
        query.bind(2, level - 1);
        query.bind(3, kFanOut);
        std::vector<std::int64_t> ids;
        LevelBuilder builder;
        TimeRange range{INT64_MAX, INT64_MIN};
        std::int64_t rows = 0, entries = 0;
        while (query.executeStep()) {
            ids.push_back(query.getColumn(0).getInt64());
            rows += query.getColumn(1).getInt64();
            range.start = std::min(range.start, query.getColumn(2).getInt64());
            range.end = std::max(range.end, query.getColumn(3).getInt64());
            entries += query.getColumn(4).getInt64();
            const auto sums = query.getColumn(5);
            const auto child =
                decode({static_cast<const char*>(sums.getBlob()), static_cast<std::size_t>(sums.getBytes())});
            if (!child) {
                // Its rows are there: the status of the run does not wait for a picture of them.
                query.reset();
                return false;
            }
            builder.add(*child);
        }
        query.reset();
        if (ids.size() < kFanOut) return made;
        const std::int64_t parent = insert(level, rows, range, builder, entries);
        for (const std::int64_t id : ids) {
            statements_->adopt.reset();
            statements_->adopt.bind(1, parent);
            statements_->adopt.bind(2, id);
            statements_->adopt.exec();
        }
    }
}

std::int64_t LevelWriter::insert(int level, std::int64_t rows, TimeRange range, LevelBuilder& builder,
                                 std::int64_t entries) {
    const SpanLevel made = builder.build(static_cast<std::size_t>(entries / kSpansOfEntry));
    const std::string bytes = encode(made);
    auto& insert = statements_->insert;
    insert.reset();
    int place = 0;
    insert.bind(++place, runKey_);
    insert.bind(++place, level);
    insert.bind(++place, rows);
    insert.bind(++place, made.width());
    insert.bind(++place, range.start);
    insert.bind(++place, range.end);
    insert.bind(++place, static_cast<std::int64_t>(builder.entries()));
    insert.bindNoCopy(++place, bytes.data(), static_cast<int>(bytes.size()));
    insert.exec();
    return database_.getLastInsertRowid();
}

void LevelWriter::forget(std::int64_t upTo) {
    const auto end = std::upper_bound(kept_.begin(), kept_.end(), upTo,
                                      [](std::int64_t wanted, const Kept& kept) { return wanted < kept.id; });
    kept_.erase(kept_.begin(), end);
}

Status makeMissingLevels(WriteConnection& connection) {
    return guarded(connection.paths().database(), [&]() -> Status {
        for (;;) {
            SQLite::Statement query(connection.database(),
                                    "SELECT id, workers FROM run WHERE status NOT IN ('queued', 'running') AND "
                                    "EXISTS (SELECT 1 FROM span_chunk WHERE run = run.id AND node = 0) LIMIT 1");
            if (!query.executeStep()) return {};
            const std::int64_t run = query.getColumn(0).getInt64();
            const int workers = query.getColumn(1).getInt();
            query.reset();
            for (bool done = false; !done;) {
                DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(connection));
                done = LevelWriter(connection.database(), run, workers).finish(kRowsOfTransaction);
                transaction->commit();
            }
        }
    });
}

}  // namespace dasgd::storage
