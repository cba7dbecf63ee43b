// The part of a run that changes with it, read from one lab.db and written into another of the same schema version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/base/database.h"
#include "storage/mirror/mirror_part.h"

namespace dasgd::storage {

// The tables of a run's document and their columns, in one database, for one thread. Methods throw SQLite::Exception.
class DocumentTables {
public:
    explicit DocumentTables(SQLite::Database& database);

    // read() gives the document as it is stored; setEnd() replaces its end by that of RunReader::lost(), without a
    // time.
    [[nodiscard]] RunDocument read(std::int64_t runKey) const;
    void setEnd(RunDocument& document, const std::string& status, const std::string& error) const;
    [[nodiscard]] std::string statusOf(const RunDocument& document) const;

    // Errors: the document has other tables or columns, is of another run, or its status is no word for one.
    [[nodiscard]] Status check(const RunDocument& document, const std::string& runId) const;
    // Inside a write transaction, of a document that was checked: the key of the new run.
    std::int64_t insert(const RunDocument& document) const;
    // Replaces the document of a run that exists.
    void replace(std::int64_t runKey, const RunDocument& document) const;

private:
    struct Table {
        std::string name;
        std::vector<std::string> columns;  // without the run's key
        [[nodiscard]] std::string list(const char* separator, const char* suffix) const;
        [[nodiscard]] std::size_t placeOf(const std::string& column) const;
    };
    void writeRows(std::int64_t runKey, const RunDocument& document) const;

    SQLite::Database& database_;
    std::vector<Table> tables_;
};

}  // namespace dasgd::storage
