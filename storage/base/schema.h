// The schema of a database of a workspace: made where there is none, and checked by its version where there is one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace SQLite {
class Database;
}

namespace dasgd::storage {

inline constexpr int kApplicationId = 0x44615347;  // "DaSG"

// Scripts of SQL that make a schema, in order, and the version (user_version) that a database has after them.
struct Schema {
    int version;
    std::vector<std::string> scripts;
};

// Schema of lab.db: migrations/NNN_*.sql, whose last number is the version.
const Schema& labSchema();

// Makes the schema in an empty database, in one transaction; checks that of another one. The caller holds the
// workspace's lock. Errors: those of checkSchema.
Status ensureSchema(SQLite::Database& database, const std::filesystem::path& file, const Schema& schema = labSchema());

enum class JournalMode { Rollback, Wal };

// Makes `file` with the schema where there is no file, for its owner alone, aside and then renamed: whoever reads it,
// also after a kill, finds the whole schema or no file. The caller holds the workspace's lock.
Status createDatabase(const std::filesystem::path& file, JournalMode mode, const Schema& schema = labSchema());

// Errors: the database is of another program, or of another version of the schema; the message names both versions and
// what to do.
Status checkSchema(SQLite::Database& database, const std::filesystem::path& file, const Schema& schema = labSchema());

}  // namespace dasgd::storage
