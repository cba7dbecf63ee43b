// lab.db of a workspace whose runs are to be taken, whatever its state: a live one, a copied folder, a single file, one
// of an older version. Nothing is written there.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "storage/base/workspace.h"

namespace dasgd::storage {

// Owner of the connection, and of the copy of an older or read-only database while there is one. One thread.
class SourceDatabase {
public:
    enum class Older {
        Copied,  // a copy is brought to this version, in the folder for temporary files
        Refused  // for a workspace that others write to: `dasgd recover` there brings it up to date
    };
    // `where`: the workspace's folder, or a file that is its lab.db or a copy of it. Errors: there is none, it is not
    // ours, of a newer version, or older and refused; no room for the copy.
    static Result<std::unique_ptr<SourceDatabase>> open(const std::filesystem::path& where, Older older);
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
    Status openAsItIs();
    Status openCopy(bool readable);

    std::filesystem::path file_;
    WorkspacePaths paths_;
    std::filesystem::path copyFolder_;  // empty where there is none
    std::unique_ptr<SQLite::Database> database_;
};

}  // namespace dasgd::storage
