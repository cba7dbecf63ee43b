#include "storage/base/database.h"

#include <sys/stat.h>

#include <cerrno>

#include "storage/base/schema.h"

namespace dasgd::storage {

namespace {

constexpr int kPagesBetweenCheckpoints = 4096;
constexpr int kPagesOfTooLargeWal = 32768;  // 128 MiB

// SQLite counts its memory under a lock of the whole process unless it is told not to, before its first use. A refusal
// costs speed and nothing else.
[[maybe_unused]] const int kNoMemoryCounts = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);

// True if another program kept the statement from the database.
bool isBusy(const SQLite::Exception& exception) {
    constexpr int kPrimaryCode = 0xff;
    return (exception.getErrorCode() & kPrimaryCode) == SQLITE_BUSY;
}

// Another program, which does not know of our lock, may have a transaction open for long, such as a forgotten shell. It
// is waited for as long as a program of ours. `attempt` takes our lock and gives it up when it fails, so that processes
// of ours do not wait for this one, and each names that program itself. Throws SQLite::Exception.
template <class Attempt>
auto retryWhileLocked(const std::filesystem::path& database, std::chrono::milliseconds patience, Attempt attempt)
    -> decltype(attempt()) {
    std::optional<LockWait> wait;
    for (;;) {
        try {
            return attempt();
        } catch (const SQLite::Exception& exception) {
            if (!isBusy(exception)) throw;
        }
        if (!wait) wait.emplace(database, LockWait::Lock::Database, patience);
        DASGD_TRY(wait->pause());
    }
}

// nullopt where it cannot be told, for instance of a disk that does not answer.
std::optional<FileIdentity> fileAt(const std::filesystem::path& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) return FileIdentity{found.st_dev, found.st_ino};
    const bool isGone = errno == ENOENT || errno == ENOTDIR;
    return isGone ? std::optional<FileIdentity>(FileIdentity()) : std::nullopt;
}

}  // namespace

std::string describeError(const std::filesystem::path& file, const SQLite::Exception& exception) {
    std::string text = file.string() + ": " + exception.what();
    if (isBusy(exception)) text += " by " + namesOf(databaseWriters(file)) + ": end its transaction";
    if (exception.getErrorCode() == SQLITE_FULL) text += " (make room on the disk)";
    return text;
}

HotStatement::HotStatement(SQLite::Database& database, const char* sql) {
    if (sqlite3_prepare_v3(database.getHandle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
        SQLITE_OK) {
        throw SQLite::Exception(database.getHandle());
    }
}

void HotStatement::run() {
    const int outcome = sqlite3_step(statement_);
    sqlite3_reset(statement_);
    if (outcome != SQLITE_DONE) throw SQLite::Exception(sqlite3_db_handle(statement_), outcome);
}

WriteConnection::WriteConnection(const WorkspacePaths& paths)
    : paths_(paths), database_(paths.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | kUnlocked) {
    sqlite3_db_config(database_.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void WriteConnection::configure() {
    database_.exec("PRAGMA journal_mode = WAL");
    database_.exec("PRAGMA synchronous = NORMAL");
    database_.exec("PRAGMA wal_autocheckpoint = 0");
    database_.exec("PRAGMA foreign_keys = OFF");
    database_.exec("PRAGMA cache_size = -16384");
}

// Queries outside of a transaction hold no lock of ours, so they may wait inside SQLite.
void WriteConnection::waitInQueries() {
    const auto waitMore = [](void* self, int tries) {
        auto& connection = *static_cast<WriteConnection*>(self);
        if (tries == 0) {
            connection.queryWait_.emplace(connection.paths_.database(), LockWait::Lock::Database, FileLock::kPatience);
        }
        return connection.queryWait_->pause() ? 1 : 0;
    };
    sqlite3_busy_handler(database_.getHandle(), waitMore, this);
}

Result<std::unique_ptr<WriteConnection>> WriteConnection::open(const WorkspacePaths& paths) {
    const auto attempt = [&]() -> Result<std::unique_ptr<WriteConnection>> {
        DASGD_ASSIGN(const FileLock lock, FileLock::wait(paths.lock(), FileLock::Kind::Exclusive));
        DASGD_TRY(createDatabase(paths.database(), JournalMode::Wal));
        std::unique_ptr<WriteConnection> connection(new WriteConnection(paths));
        // First of all: a database of someone else, or of another version, is not touched.
        DASGD_TRY(ensureSchema(connection->database(), paths.database()));
        connection->configure();
        connection->file_ = fileAt(paths.database()).value_or(FileIdentity());
        connection->waitInQueries();
        return connection;
    };
    return guarded(paths.database(), [&] { return retryWhileLocked(paths.database(), FileLock::kPatience, attempt); });
}

void WriteConnection::checkpoint(bool everything) {
    int pages = 0;
    int done = 0;
    const int mode = everything ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    if (everything) sqlite3_busy_timeout(database_.getHandle(), 100);
    const int result = sqlite3_wal_checkpoint_v2(database_.getHandle(), nullptr, mode, &pages, &done);
    const std::string reason = sqlite3_errmsg(database_.getHandle());
    if (everything) waitInQueries();
    const std::string wal = paths_.database().string() + "-wal";
    if (result != SQLITE_OK && result != SQLITE_BUSY && result != SQLITE_LOCKED) {
        walWarning_ = wal + " cannot be written back, and keeps what is recorded: " + reason;
    } else if (pages > kPagesOfTooLargeWal && done < pages) {
        walWarning_ = wal + " has grown past 128 MiB, as some reader keeps a transaction open";
    } else {
        walWarning_.clear();
    }
}

Status WriteConnection::compact() {
    const auto attempt = [&]() -> Status {
        DASGD_TRY(checkFile());
        DASGD_ASSIGN(const FileLock lock, FileLock::wait(paths_.lock(), FileLock::Kind::Exclusive));
        DASGD_TRY(checkFile());
        database_.exec("VACUUM");
        checkpoint(true);
        return {};
    };
    return guarded(paths_.database(),
                   [&] { return retryWhileLocked(paths_.database(), FileLock::kPatience, attempt); });
}

Status WriteConnection::checkFile() const {
    if (fileAt(paths_.database()).value_or(file_) == file_) return {};
    return fail(paths_.database().string() + " was removed or replaced while it was in use");
}

WriteTransaction::WriteTransaction(WriteConnection& connection, FileLock lock)
    : connection_(connection), lock_(std::move(lock)) {
    sqlite3* const database = connection_.database_.getHandle();
    sqlite3_busy_handler(database, nullptr, nullptr);
    const int begun = sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    connection_.waitInQueries();
    if (begun != SQLITE_OK) throw SQLite::Exception(database, begun);
}

Result<std::unique_ptr<WriteTransaction>> WriteTransaction::begin(WriteConnection& connection,
                                                                  std::chrono::milliseconds patience) {
    const auto attempt = [&]() -> Result<std::unique_ptr<WriteTransaction>> {
        // Waiting makes the lock's file, which a workspace that was removed is not to get again.
        DASGD_TRY(connection.checkFile());
        DASGD_ASSIGN(FileLock lock, FileLock::wait(connection.paths_.lock(), FileLock::Kind::Exclusive, patience));
        DASGD_TRY(connection.checkFile());
        return std::unique_ptr<WriteTransaction>(new WriteTransaction(connection, std::move(lock)));
    };
    const std::filesystem::path file = connection.paths_.database();
    return guarded(file, [&] { return retryWhileLocked(file, patience, attempt); });
}

WriteTransaction::~WriteTransaction() {
    // After a full disk SQLite may have rolled back by itself.
    if (open_ && sqlite3_get_autocommit(connection_.database_.getHandle()) == 0) {
        sqlite3_exec(connection_.database_.getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void WriteTransaction::commit(Then then) {
    int pagesInWal = 0;
    sqlite3_wal_hook(
        connection_.database_.getHandle(),
        [](void* target, sqlite3*, const char*, int pages) {
            *static_cast<int*>(target) = pages;
            return SQLITE_OK;
        },
        &pagesInWal);
    connection_.database_.exec("COMMIT");
    open_ = false;
    sqlite3_wal_hook(connection_.database_.getHandle(), nullptr, nullptr);
    if (then == Then::CheckpointAll) {
        connection_.checkpoint(true);
    } else if (pagesInWal >= kPagesBetweenCheckpoints) {
        connection_.checkpoint(false);
    } else if (pagesInWal > 0) {
        connection_.walWarning_.clear();  // the WAL has started over
    }
}

}  // namespace dasgd::storage
