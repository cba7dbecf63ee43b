// Connections to lab.db, and the one way to write to it: a transaction under the workspace's lock.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "storage/base/lock_wait.h"
#include "storage/base/workspace.h"

namespace dasgd::storage {

// Each connection is used by one thread at a time, so that SQLite need not lock it in every call.
constexpr int kUnlocked = SQLITE_OPEN_NOMUTEX;

// A statement for the hot paths: bind, step, reset, without a check per column.
class HotStatement {
public:
    HotStatement(SQLite::Database& database, const char* sql);
    ~HotStatement() { sqlite3_finalize(statement_); }
    HotStatement(const HotStatement&) = delete;
    HotStatement& operator=(const HotStatement&) = delete;

    void bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_, place, value); }
    void bind(int place, double value) { sqlite3_bind_double(statement_, place, value); }
    template <class T>
    void bind(int place, const std::optional<T>& value) {
        if (value) {
            bind(place, *value);
        } else {
            sqlite3_bind_null(statement_, place);
        }
    }
    // `text` is not copied: it must live until run().
    void bind(int place, const std::string& text) {
        sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    }
    // Throws SQLite::Exception.
    void run();
    [[nodiscard]] sqlite3_stmt* get() const { return statement_; }

private:
    sqlite3_stmt* statement_ = nullptr;
};

// Calls take(row) for each row of `query`; one that answers false ends it. Throws SQLite::Exception.
template <class Take>
void eachRow(HotStatement& query, Take&& take) {
    sqlite3_stmt* row = query.get();
    int outcome = sqlite3_step(row);
    for (; outcome == SQLITE_ROW; outcome = sqlite3_step(row)) {
        if constexpr (std::is_void_v<decltype(take(row))>) {
            take(row);
        } else if (!take(row)) {
            break;
        }
    }
    sqlite3_reset(row);
    if (outcome != SQLITE_ROW && outcome != SQLITE_DONE) throw SQLite::Exception(sqlite3_db_handle(row), outcome);
}

// The file that a path names: device and inode, both 0 if there is none.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

// The writing connection, of one thread at a time. No automatic checkpoints, none on closing: they happen in
// WriteTransaction, under the lock.
class WriteConnection {
public:
    static Result<std::unique_ptr<WriteConnection>> open(const WorkspacePaths& paths);
    [[nodiscard]] SQLite::Database& database() { return database_; }
    [[nodiscard]] const WorkspacePaths& paths() const { return paths_; }
    // Errors: lab.db is another file by now than the one that was opened, or none. SQLite itself would not notice: it
    // reads and writes a file that nobody can open any more.
    [[nodiscard]] Status checkFile() const;
    // Writes lab.db anew without its free pages, under the lock. Errors: no room for the copy.
    [[nodiscard]] Status compact();
    // Reason for which the WAL could not be reset; "" where it could.
    [[nodiscard]] const std::string& walWarning() const { return walWarning_; }

private:
    friend class WriteTransaction;
    explicit WriteConnection(const WorkspacePaths& paths);
    void configure();
    void checkpoint(bool everything);
    void waitInQueries();
    WorkspacePaths paths_;
    SQLite::Database database_;
    std::string walWarning_;
    FileIdentity file_;
    std::optional<LockWait> queryWait_;  // of the query that waits for another program
};

// One write transaction: takes the lock and begins; rolls back unless committed. begin() fails where
// checkFile() does, and waits for up to `patience` for the lock, and as long for a program that writes without it; the
// lock is free meanwhile. Other methods throw SQLite::Exception.
class WriteTransaction {
public:
    static Result<std::unique_ptr<WriteTransaction>> begin(WriteConnection& connection,
                                                           std::chrono::milliseconds patience = FileLock::kPatience);
    ~WriteTransaction();
    WriteTransaction(const WriteTransaction&) = delete;
    WriteTransaction& operator=(const WriteTransaction&) = delete;

    enum class Then { Nothing, CheckpointAll };
    void commit(Then then = Then::Nothing);

private:
    WriteTransaction(WriteConnection& connection, FileLock lock);
    WriteConnection& connection_;
    FileLock lock_;
    bool open_ = true;
};

// The file, what went wrong, and what to do where that is known.
[[nodiscard]] std::string describeError(const std::filesystem::path& file, const SQLite::Exception& exception);

// Runs `work`, turning SQLite's exceptions into errors that name the file.
template <class Work>
auto guarded(const std::filesystem::path& file, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const SQLite::Exception& exception) {
        return fail(describeError(file, exception));
    }
}

}  // namespace dasgd::storage
