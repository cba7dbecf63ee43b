// Brings lab.db to the schema of this program; the first process that opens it does so.
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

// One SQL script a schema version, from version 1: migrations/NNN_*.sql in order.
const std::vector<std::string>& migrations();

// Applies the scripts that `database` lacks, in one transaction, after a copy to lab.db.backup-v<N> where there is
// something to lose. The caller holds the workspace's lock. Errors: a schema newer than `scripts`, a database of
// someone else, no room.
Status migrate(SQLite::Database& database, const std::filesystem::path& file,
               const std::vector<std::string>& scripts = migrations());

enum class JournalMode { Rollback, Wal };

// Makes `file` with the schema of `scripts` where there is none, for its owner alone, aside and then renamed: whoever
// reads it, also after a kill, finds the whole schema or no file. The caller holds the workspace's lock.
Status createDatabase(const std::filesystem::path& file, JournalMode mode,
                      const std::vector<std::string>& scripts = migrations());

// For readers: whether the database is ours and has exactly this version.
Status checkSchema(SQLite::Database& database, const std::filesystem::path& file,
                   const std::vector<std::string>& scripts = migrations());

}  // namespace dasgd::storage
