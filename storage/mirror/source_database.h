// lab.db of a workspace whose runs are to be taken: a live one, a copied folder, a single file, one on a read-only
// medium. Nothing is written there.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "storage/base/workspace.h"

namespace dasgd::storage {

// Owner of the connection, and of the copy of a read-only database while there is one. One thread.
class SourceDatabase {
public:
    // `where`: the workspace's folder, or a file that is its lab.db or a copy of it. Errors: there is none, it is not
    // ours or of another version of the schema; no room for the copy.
    static Result<std::unique_ptr<SourceDatabase>> open(const std::filesystem::path& where);
    ~SourceDatabase();
    SourceDatabase(const SourceDatabase&) = delete;
    SourceDatabase& operator=(const SourceDatabase&) = delete;

    [[nodiscard]] SQLite::Database& database() { return *database_; }
    // Where the folders of its runs would be; they need not be there.
    [[nodiscard]] const WorkspacePaths& paths() const { return paths_; }
    // The file that was named, for messages.
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

private:
    SourceDatabase(std::filesystem::path file, WorkspacePaths paths);
    Status openCopy();

    std::filesystem::path file_;
    WorkspacePaths paths_;
    std::filesystem::path copyFolder_;  // empty where there is none
    std::unique_ptr<SQLite::Database> database_;
};

}  // namespace dasgd::storage
