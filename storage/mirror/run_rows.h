// Rows of one run after given positions, as they are appended to lab.db: what is read once never changes there.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "storage/base/database.h"
#include "storage/mirror/mirror_part.h"

namespace dasgd::storage {

// Reads the rows of runs from one database, on one thread, inside one read transaction of the caller. Methods throw
// SQLite::Exception.
class RunRows {
public:
    explicit RunRows(SQLite::Database& database);

    // Adds up to `most` rows of each table to `part` and moves `from` on; false: there is more at once.
    // A span that is an undivided reduce may still become a transfer: it is told once it cannot, and those after it
    // too.
    bool read(std::int64_t runKey, RowPositions& from, std::int64_t most, MirrorPart& part);

private:
    bool readMetrics(std::int64_t runKey, std::int64_t& after, std::int64_t most, MirrorPart& part);
    bool readSpans(std::int64_t runKey, std::int64_t& after, std::int64_t most, MirrorPart& part);
    void readLabels(std::int64_t first, std::int64_t last, MirrorPart& part);
    bool readEvents(std::int64_t runKey, std::int64_t& after, std::int64_t most, MirrorPart& part);
    const std::string& nameOf(std::int64_t key);

    SQLite::Database& database_;
    SQLite::Statement metricBounds_;
    HotStatement metrics_;
    SQLite::Statement pending_, chunks_;
    HotStatement spans_;
    SQLite::Statement labels_, events_;
    std::map<std::int64_t, std::string> names_;
};

}  // namespace dasgd::storage
