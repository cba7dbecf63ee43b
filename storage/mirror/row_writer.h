// Appends rows of a part to the tables of this workspace, in the transaction of the caller.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "storage/base/database.h"
#include "storage/mirror/mirror_part.h"

namespace dasgd::storage {

// Writes mirrored rows over one connection, on one thread; methods throw SQLite::Exception. Make a new object after a
// transaction was rolled back.
class RowWriter {
public:
    explicit RowWriter(SQLite::Database& database);

    // The rows after `from`, which moves on; answers how many.
    std::int64_t write(std::int64_t runKey, const MirrorPart& part, RowPositions& from);

private:
    std::int64_t writeMetrics(std::int64_t runKey, const MirrorPart& part, std::int64_t& after);
    std::int64_t writeSpans(std::int64_t runKey, const MirrorPart& part, std::int64_t& after);
    std::int64_t writeEvents(std::int64_t runKey, const MirrorPart& part, std::int64_t& after);
    void writeLabel(std::int64_t row, const std::string& name);
    std::int64_t nameKey(const std::string& name);

    struct Chunk;
    Chunk lastChunk(std::int64_t runKey);
    void store(std::int64_t runKey, const Chunk& chunk);

    SQLite::Database& database_;
    HotStatement metric_, span_, event_, chunk_;
    std::map<std::string, std::int64_t, std::less<>> names_;
};

}  // namespace dasgd::storage
