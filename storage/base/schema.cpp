#include "storage/base/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace dasgd::storage {

namespace {

int number(SQLite::Database& database, const char* query) { return database.execAndGet(query).getInt(); }

bool isEmpty(SQLite::Database& database) { return number(database, "SELECT count(*) FROM sqlite_master") == 0; }

bool isOurs(SQLite::Database& database) { return number(database, "PRAGMA application_id") == kApplicationId; }

tl::unexpected<Error> notOurs(const std::filesystem::path& file) {
    return fail(file.string() + " is not a database of DaSGD Lab; choose another workspace folder");
}

// Its owner's alone, also where the folder is not; what SQLite makes beside it gets the same mode.
SQLite::Database newDatabase(const std::filesystem::path& file) {
    const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made);  // else SQLite says why
    return {file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
}

std::filesystem::path beside(const std::filesystem::path& file, const char* suffix) { return file.string() + suffix; }

// A journal without its database: what becomes of the two is for SQLite to decide.
bool hasJournal(const std::filesystem::path& file) {
    std::error_code unknown;
    return std::filesystem::exists(beside(file, "-journal"), unknown) ||
           std::filesystem::exists(beside(file, "-wal"), unknown);
}

// A name that was not written to the disk is lost with the power, and the acknowledged changes of its file with it. Not
// every folder can be opened, and not every file system has this.
Status syncFolder(const std::filesystem::path& folder) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return {};
    const bool synced = ::fsync(opened) == 0;
    const int reason = errno;
    ::close(opened);
    if (!synced && reason != EINVAL && reason != ENOTSUP)
        return fail("cannot write " + folder.string() + " to the disk: " + std::strerror(reason));
    return {};
}

}  // namespace

Status ensureSchema(SQLite::Database& database, const std::filesystem::path& file, const Schema& schema) {
    if (!isEmpty(database)) return checkSchema(database, file, schema);
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    for (const std::string& script : schema.scripts) database.exec(script);
    database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    database.exec("PRAGMA user_version = " + std::to_string(schema.version));
    transaction.commit();
    return {};
}

Status createDatabase(const std::filesystem::path& file, JournalMode mode, const Schema& schema) {
    std::error_code code;
    // A link, also one whose target is not there, and what cannot be looked at are left to SQLite.
    const std::filesystem::file_type there = std::filesystem::symlink_status(file, code).type();
    if (there != std::filesystem::file_type::not_found || hasJournal(file)) return {};
    const std::filesystem::path made = beside(file, ".new");
    // A process that was killed while it made the database leaves these parts behind.
    for (const char* part : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(beside(made, part), code);
    {
        SQLite::Database database = newDatabase(made);
        DASGD_TRY(ensureSchema(database, made, schema));
        if (mode == JournalMode::Wal) database.exec("PRAGMA journal_mode = WAL");
    }
    std::filesystem::rename(made, file, code);
    if (code) return fail("cannot make " + file.string() + ": " + code.message());
    return syncFolder(file.parent_path());
}

Status checkSchema(SQLite::Database& database, const std::filesystem::path& file, const Schema& schema) {
    if (!isOurs(database)) return notOurs(file);
    const int found = number(database, "PRAGMA user_version");
    if (found == schema.version) return {};
    return fail(file.string() + " has schema version " + std::to_string(found) + ", this program knows version " +
                std::to_string(schema.version) + " alone; " +
                (found > schema.version ? "update the program, or use another workspace"
                                        : "read it with the program that wrote it, and use another workspace here") +
                " (--workspace)");
}

}  // namespace dasgd::storage
