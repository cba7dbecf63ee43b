// Keeps the levels of detail over the spans of one run up to date, inside the transactions that store its rows: so a
// level is there exactly if its rows are. Levels are made of rows that cannot change any more, and never change
// themselves.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/base/database.h"
#include "storage/levels/span_level.h"

namespace dasgd::storage {

// Writes the levels of detail of one run, for one collector, on one thread. All methods throw SQLite::Exception; the
// object is unusable after that. Rows of the run's other collectors are read back from the database.
class LevelWriter {
public:
    static constexpr std::int64_t kRowsOfNode = 8192;  // least rows of a node of the lowest level
    static constexpr std::int64_t kLeastRows = 1024;   // fewer rows at the end of a run get no level
    static constexpr int kFanOut = 8;                  // nodes of one level under one of the next
    static constexpr int kSpansOfEntry = 8;            // a level keeps one entry for so many of what it is made of

    LevelWriter(SQLite::Database& database, std::int64_t runKey, int workers);
    ~LevelWriter();

    // A row of this run, as it was stored in this transaction: spares reading it back.
    void stored(std::int64_t id, int rank, const Span& span);
    // A row that was stored before is another now.
    void changed(std::int64_t id, int rank, const Span& span);

    enum class Rows {
        OfThisCollector,  // looks only once so many rows were stored here
        OfAnyCollector
    };
    // At the end of a write transaction, inside it: makes the levels that are due.
    void settle(Rows rows);
    // Once no row of the run can come or change any more, inside a write transaction: all that is left, at most about
    // `most` rows; false: there is more.
    [[nodiscard]] bool finish(std::int64_t most = INT64_MAX);

private:
    struct Kept {
        std::int64_t id = 0;
        int rank = 0;
        Span span;
    };
    struct Chunk {
        std::int64_t first = 0, last = 0;
        [[nodiscard]] std::int64_t rows() const { return last - first + 1; }
    };
    using Chunks = std::vector<Chunk>;
    struct Statements;

    [[nodiscard]] Chunks chunksWithoutLevel();
    [[nodiscard]] Chunks closedChunks();
    [[nodiscard]] bool mayChange(const Chunks& group);
    void assign(const Chunks& group, std::int64_t node);
    void makeLowest(const Chunks& group);
    bool addKept(const Chunk& chunk, LevelBuilder& builder) const;
    void readBack(const Chunk& chunk, LevelBuilder& builder);
    void makeParents();
    bool makeParent(int level);
    std::int64_t insert(int level, std::int64_t rows, TimeRange range, LevelBuilder& builder, std::int64_t entries);
    void forget(std::int64_t upTo);

    SQLite::Database& database_;
    const std::int64_t runKey_;
    const std::int64_t rowsOfNode_;
    std::unique_ptr<Statements> statements_;
    std::vector<Kept> kept_;  // by id
};

// Makes the levels that ended runs lack, as where their collector was killed, each in transactions of its own.
Status makeMissingLevels(WriteConnection& connection);

}  // namespace dasgd::storage
