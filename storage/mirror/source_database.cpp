#include "storage/mirror/source_database.h"

#include <SQLiteCpp/Backup.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "storage/base/database.h"
#include "storage/base/migrate.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

int schemaVersion(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

// A database in WAL mode can only be read where its shared memory can be made: not on a read-only medium.
bool canBeRead(SQLite::Database& database) {
    try {
        static_cast<void>(database.execAndGet("SELECT count(*) FROM sqlite_master").getInt());
        return true;
    } catch (const SQLite::Exception& exception) {
        const int code = exception.getErrorCode();
        if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) throw;
        return false;
    }
}

Result<fs::path> makeFolder() {
    std::error_code error;
    const fs::path where = fs::temp_directory_path(error);
    std::string name = (where / "dasgd-import-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
        return fail("cannot make a folder for a copy in " + where.string() + ": " +
                    (error ? error : std::error_code(errno, std::generic_category())).message() +
                    "; set TMPDIR to one with room");
    }
    return fs::path(name);
}

}  // namespace

SourceDatabase::SourceDatabase(fs::path file, WorkspacePaths paths)
    : file_(std::move(file)), paths_(std::move(paths)) {}

SourceDatabase::~SourceDatabase() {
    database_.reset();
    std::error_code ignored;
    if (!copyFolder_.empty()) fs::remove_all(copyFolder_, ignored);
}

Result<std::unique_ptr<SourceDatabase>> SourceDatabase::open(const fs::path& where, Older older) {
    std::error_code error;
    const bool isFolder = fs::is_directory(where, error);
    const fs::path file = isFolder ? WorkspacePaths{where}.database() : where;
    if (!fs::exists(file, error)) {
        return fail("there is no workspace in " + where.string() + (isFolder ? " (no lab.db)" : ""));
    }
    DASGD_TRY(checkDatabaseFile(file));
    std::unique_ptr<SourceDatabase> source(
        new SourceDatabase(file, WorkspacePaths{isFolder ? where : fs::absolute(file, error).parent_path()}));
    DASGD_TRY(guarded(file, [&]() -> Status {
        source->database_ = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READONLY | kUnlocked);
        source->database_->setBusyTimeout(5000);
        const bool readable = canBeRead(*source->database_);
        const bool isOlder = readable && schemaVersion(*source->database_) < static_cast<int>(migrations().size());
        if (readable && (!isOlder || older == Older::Refused)) return source->openAsItIs();
        return source->openCopy(readable);
    }));
    return source;
}

Status SourceDatabase::openAsItIs() {
    const int found = schemaVersion(*database_);
    const int known = static_cast<int>(migrations().size());
    if (found == 0 || found >= known) return checkSchema(*database_, file_);
    return fail(file_.string() + " has the older schema version " + std::to_string(found) + " of " +
                std::to_string(known) + "; `dasgd recover -w " + paths_.root.string() +
                "` on that machine brings it up to date");
}

Status SourceDatabase::openCopy(bool readable) {
    DASGD_ASSIGN(copyFolder_, makeFolder());
    const fs::path copy = copyFolder_ / "lab.db";
    auto copied = [&] {
        if (readable) {
            SQLite::Database to(copy.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            const int step = SQLite::Backup(to, *database_).executeStep(-1);
            return step == SQLITE_DONE ? std::error_code() : std::make_error_code(std::errc::device_or_resource_busy);
        }
        std::error_code error;
        fs::copy_file(file_, copy, error);
        const fs::path wal = file_.string() + "-wal";
        std::error_code ignored;
        if (!error && fs::exists(wal, ignored)) fs::copy_file(wal, copy.string() + "-wal", error);
        return error;
    }();
    if (copied) {
        return fail("cannot copy " + file_.string() + " to " + copyFolder_.string() + ": " + copied.message() +
                    (copied == std::errc::device_or_resource_busy ? "; another program has it: try again"
                                                                  : "; set TMPDIR to a folder with room"));
    }
    database_ = std::make_unique<SQLite::Database>(copy.string(), SQLite::OPEN_READWRITE | kUnlocked);
    Status migrated = migrate(*database_, copy);
    if (migrated) return {};
    // Whoever asked knows the file, not its copy.
    std::string& text = migrated.error().message;
    if (const auto at = text.find(copy.string()); at != std::string::npos) {
        text.replace(at, copy.string().size(), file_.string());
    }
    return migrated;
}

}  // namespace dasgd::storage
