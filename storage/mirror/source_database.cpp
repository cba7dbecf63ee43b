#include "storage/mirror/source_database.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "storage/base/database.h"
#include "storage/base/schema.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

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

Result<std::unique_ptr<SourceDatabase>> SourceDatabase::open(const fs::path& where) {
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
        if (!canBeRead(*source->database_)) DASGD_TRY(source->openCopy());
        return checkSchema(*source->database_, file);
    }));
    return source;
}

Status SourceDatabase::openCopy() {
    DASGD_ASSIGN(copyFolder_, makeFolder());
    const fs::path copy = copyFolder_ / "lab.db";
    std::error_code error;
    fs::copy_file(file_, copy, error);
    const fs::path wal = file_.string() + "-wal";
    std::error_code ignored;
    if (!error && fs::exists(wal, ignored)) fs::copy_file(wal, copy.string() + "-wal", error);
    if (error) {
        return fail("cannot copy " + file_.string() + " to " + copyFolder_.string() + ": " + error.message() +
                    "; set TMPDIR to a folder with room");
    }
    database_ = std::make_unique<SQLite::Database>(copy.string(), SQLite::OPEN_READWRITE | kUnlocked);
    return {};
}

}  // namespace dasgd::storage
