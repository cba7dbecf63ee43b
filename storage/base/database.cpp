#include "storage/base/database.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "core/base/log.h"
#include "storage/base/migrate.h"

namespace dasgd::storage {

namespace {

constexpr int kPagesBetweenCheckpoints = 4096;
constexpr int kPagesOfTooLargeWal = 32768;  // 128 MiB

// SQLite counts its memory under a lock of the whole process unless it is told not to, before its first use. A refusal
// costs speed and nothing else.
[[maybe_unused]] const int kNoMemoryCounts = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);

using Steady = std::chrono::steady_clock;
constexpr std::chrono::seconds kUntilSaid{2};  // of a wait, before it is said

// SQLite calls it while another program, which does not know of our lock, writes or has a transaction open. That is
// waited for as long as for a program of ours: a run is not to be lost to a shell that somebody has left open.
int waitForWriter(void* database, int tries) {
    thread_local Steady::time_point began;
    thread_local bool told = false;
    const auto now = Steady::now();
    if (tries == 0) {
        began = now;
        told = false;
    }
    const auto waited = now - began;
    if (waited >= FileLock::kPatience) return 0;
    if (waited >= kUntilSaid && !told) {
        told = true;
        const char* file = sqlite3_db_filename(static_cast<sqlite3*>(database), "main");
        logLine(LogLevel::Warning, std::string("waiting for ") + (file ? file : "the database") +
                                       ", which another program has locked: end its transaction");
    }
    std::this_thread::sleep_for(std::min(std::chrono::milliseconds(1 + tries), std::chrono::milliseconds(50)));
    return 1;
}

// Nothing where it cannot be told, as of a disk that does not answer.
std::optional<FileIdentity> fileAt(const std::filesystem::path& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) return FileIdentity{found.st_dev, found.st_ino};
    const bool isGone = errno == ENOENT || errno == ENOTDIR;
    return isGone ? std::optional<FileIdentity>(FileIdentity()) : std::nullopt;
}

}  // namespace

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
    sqlite3_busy_handler(database_.getHandle(), waitForWriter, database_.getHandle());
    sqlite3_db_config(database_.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void WriteConnection::configure() {
    database_.exec("PRAGMA journal_mode = WAL");
    database_.exec("PRAGMA synchronous = NORMAL");
    database_.exec("PRAGMA wal_autocheckpoint = 0");
    database_.exec("PRAGMA foreign_keys = OFF");
    database_.exec("PRAGMA cache_size = -16384");
}

Result<std::unique_ptr<WriteConnection>> WriteConnection::open(const WorkspacePaths& paths) {
    DASGD_ASSIGN(const FileLock lock, FileLock::wait(paths.lock(), FileLock::Kind::Exclusive));
    return guarded(paths.database(), [&]() -> Result<std::unique_ptr<WriteConnection>> {
        DASGD_TRY(createDatabase(paths.database(), JournalMode::Wal));
        std::unique_ptr<WriteConnection> connection(new WriteConnection(paths));
        // First of all: a database of someone else, or of a newer program, is not touched.
        DASGD_TRY(migrate(connection->database(), paths.database()));
        connection->configure();
        connection->file_ = fileAt(paths.database()).value_or(FileIdentity());
        return connection;
    });
}

void WriteConnection::checkpoint(bool everything) {
    int pages = 0;
    int done = 0;
    const int mode = everything ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    if (everything) sqlite3_busy_timeout(database_.getHandle(), 100);
    sqlite3_wal_checkpoint_v2(database_.getHandle(), nullptr, mode, &pages, &done);
    if (everything) sqlite3_busy_handler(database_.getHandle(), waitForWriter, database_.getHandle());
    walWarning_ =
        pages > kPagesOfTooLargeWal
            ? paths_.database().string() + "-wal has grown past 128 MiB, as some reader keeps a transaction open"
            : "";
}

Status WriteConnection::checkFile() const {
    if (fileAt(paths_.database()).value_or(file_) == file_) return {};
    return fail(paths_.database().string() + " was removed or replaced while it was in use");
}

Batch::Batch(WriteConnection& connection, FileLock lock) : connection_(connection), lock_(std::move(lock)) {
    connection_.database_.exec("BEGIN IMMEDIATE");
}

Result<std::unique_ptr<Batch>> Batch::begin(WriteConnection& connection, std::chrono::milliseconds patience) {
    // Waiting makes the lock's file, which a workspace that was removed is not to get again.
    DASGD_TRY(connection.checkFile());
    DASGD_ASSIGN(FileLock lock, FileLock::wait(connection.paths_.lock(), FileLock::Kind::Exclusive, patience));
    DASGD_TRY(connection.checkFile());
    return guarded(connection.paths_.database(), [&]() -> Result<std::unique_ptr<Batch>> {
        return std::unique_ptr<Batch>(new Batch(connection, std::move(lock)));
    });
}

Batch::~Batch() {
    // After a full disk SQLite may have rolled back by itself.
    if (open_ && sqlite3_get_autocommit(connection_.database_.getHandle()) == 0) {
        sqlite3_exec(connection_.database_.getHandle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Batch::commit(Then then) {
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
    }
}

}  // namespace dasgd::storage
