#include "storage/notes/run_notes.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

#include "storage/base/database.h"
#include "storage/base/schema.h"
#include "storage/base/workspace.h"

namespace dasgd::storage {

namespace {

constexpr int kBusyMs = 5000;

const Schema& schema() {
    static const Schema kSchema{.version = 1, .scripts = {R"sql(
        CREATE TABLE run_note (
            run_id     TEXT PRIMARY KEY,
            starred    INTEGER NOT NULL DEFAULT 0,
            archived   INTEGER NOT NULL DEFAULT 0,
            note       TEXT NOT NULL DEFAULT '',
            changed_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE run_tag (
            run_id TEXT NOT NULL,
            tag    TEXT NOT NULL,
            PRIMARY KEY (run_id, tag)
        ) STRICT, WITHOUT ROWID;
    )sql"}};
    return kSchema;
}

std::filesystem::path fileIn(const std::filesystem::path& workspace) { return workspace / "notes.db"; }

// In a transaction.
NotesOfRuns readAll(SQLite::Database& database) {
    NotesOfRuns notes;
    SQLite::Statement runs(database, "SELECT run_id, starred, archived, note FROM run_note");
    while (runs.executeStep()) {
        RunNotes& run = notes[runs.getColumn(0).getString()];
        run.starred = runs.getColumn(1).getInt() != 0;
        run.archived = runs.getColumn(2).getInt() != 0;
        run.note = runs.getColumn(3).getString();
    }
    SQLite::Statement tags(database, "SELECT run_id, tag FROM run_tag");
    while (tags.executeStep()) notes[tags.getColumn(0).getString()].tags.insert(tags.getColumn(1).getString());
    return notes;
}

void write(SQLite::Database& database, const std::string& run, const RunNotes& notes) {
    SQLite::Statement forget(database, "DELETE FROM run_tag WHERE run_id = ?");
    forget.bind(1, run);
    forget.exec();
    if (notes.isEmpty()) {
        SQLite::Statement remove(database, "DELETE FROM run_note WHERE run_id = ?");
        remove.bind(1, run);
        remove.exec();
        return;
    }
    SQLite::Statement row(database,
                          "INSERT OR REPLACE INTO run_note (run_id, starred, archived, note, changed_at) "
                          "VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))");
    row.bind(1, run);
    row.bind(2, notes.starred ? 1 : 0);
    row.bind(3, notes.archived ? 1 : 0);
    row.bind(4, notes.note);
    row.exec();
    SQLite::Statement tag(database, "INSERT INTO run_tag (run_id, tag) VALUES (?, ?)");
    for (const std::string& one : notes.tags) {
        tag.bind(1, run);
        tag.bind(2, one);
        tag.exec();
        tag.reset();
    }
}

Status check(const std::string& run, const RunNotes& notes) {
    if (!isRunId(run)) return fail("'" + run + "' is no id of a run");
    for (const std::string& tag : notes.tags) {
        if (!isTag(tag)) {
            return fail(
                "'" + tag +
                "' is no tag: letters, digits and - . _ / : + without spaces, no - at the beginning, at most 64 bytes");
        }
    }
    if (notes.note.size() > kLongestNote) {
        return fail("the note of " + run + " has " + std::to_string(notes.note.size()) + " bytes, " +
                    std::to_string(kLongestNote) + " at most are kept; put it into a file and name that here");
    }
    return {};
}

// `next`: the notes that take the place of those that are there; those of `there` are all.
template <class Next>
Result<NotesEdit> rewrite(const std::filesystem::path& workspace, Next&& next) {
    const std::filesystem::path file = fileIn(workspace);
    DASGD_ASSIGN(const FileLock lock, FileLock::wait(file.string() + ".lock", FileLock::Kind::Exclusive));
    return guarded(file, [&]() -> Result<NotesEdit> {
        DASGD_TRY(createDatabase(file, JournalMode::Rollback, schema()));
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | kUnlocked);
        database.setBusyTimeout(kBusyMs);
        DASGD_TRY(ensureSchema(database, file, schema()));
        database.exec("PRAGMA synchronous = FULL");
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        NotesOfRuns there = readAll(database);
        NotesEdit edit;
        for (const auto& [run, notes] : next(std::as_const(there))) {
            DASGD_TRY(check(run, notes));
            if (there[run] == notes) continue;
            write(database, run, notes);
            edit.before[run] = there[run];
            edit.after[run] = notes;
        }
        transaction.commit();
        return edit;
    });
}

RunNotes notesOf(const NotesOfRuns& all, const std::string& run) {
    const auto found = all.find(run);
    return found == all.end() ? RunNotes{} : found->second;
}

// `now` with what lies between `before` and `after` taken back, where it is still as it was after.
RunNotes takenBack(RunNotes now, const RunNotes& before, const RunNotes& after) {
    if (now.starred == after.starred) now.starred = before.starred;
    if (now.archived == after.archived) now.archived = before.archived;
    if (now.note == after.note) now.note = before.note;
    for (const std::string& tag : after.tags) {
        if (!before.tags.contains(tag)) now.tags.erase(tag);
    }
    for (const std::string& tag : before.tags) {
        if (!after.tags.contains(tag)) now.tags.insert(tag);
    }
    return now;
}

}  // namespace

RunNotes NotesChange::appliedTo(RunNotes notes) const {
    notes.starred = starred.value_or(notes.starred);
    notes.archived = archived.value_or(notes.archived);
    if (note) notes.note = *note;
    notes.tags.insert(addTags.begin(), addTags.end());
    for (const std::string& tag : removeTags) notes.tags.erase(tag);
    return notes;
}

bool isTag(const std::string& text) {
    const auto fits = [](unsigned char letter) {
        // Bytes above ASCII are parts of letters.
        return letter >= 0x80 || std::isalnum(letter) != 0 ||
               std::string_view("-._/:+").find(static_cast<char>(letter)) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= 64 && text.front() != '-' && std::all_of(text.begin(), text.end(), fits);
}

Result<NotesEdit> changeNotes(const std::filesystem::path& workspace, const std::vector<std::string>& runs,
                              const NotesChange& change) {
    return rewrite(workspace, [&](const NotesOfRuns& there) {
        NotesOfRuns next;
        for (const std::string& run : runs) next[run] = change.appliedTo(notesOf(there, run));
        return next;
    });
}

Result<NotesEdit> undoNotes(const std::filesystem::path& workspace, const NotesEdit& edit) {
    return rewrite(workspace, [&](const NotesOfRuns& there) {
        NotesOfRuns next;
        for (const auto& [run, after] : edit.after) {
            next[run] = takenBack(notesOf(there, run), notesOf(edit.before, run), after);
        }
        return next;
    });
}

struct NotesReader::Connection {
    // To write, though it only reads: what a killed writer left half done has to be rolled back.
    explicit Connection(const std::filesystem::path& file)
        : database(file.string(), SQLite::OPEN_READWRITE | kUnlocked) {
        database.setBusyTimeout(kBusyMs);
    }
    SQLite::Database database;
    std::int64_t version = -1;
    ino_t inode = 0;
};

NotesReader::NotesReader(std::filesystem::path workspace) : file_(fileIn(workspace)) {}
NotesReader::NotesReader(NotesReader&&) noexcept = default;
NotesReader::~NotesReader() = default;

Result<bool> NotesReader::refresh() {
    struct stat facts {};
    if (::stat(file_.c_str(), &facts) != 0 || facts.st_size == 0) {
        connection_.reset();
        return !std::exchange(notes_, {}).empty();
    }
    // A copied or removed file is another one.
    if (connection_ && connection_->inode != facts.st_ino) connection_.reset();
    auto changed = guarded(file_, [&]() -> Result<bool> {
        if (!connection_) {
            connection_ = std::make_unique<Connection>(file_);
            connection_->inode = facts.st_ino;
            DASGD_TRY(checkSchema(connection_->database, file_, schema()));
        }
        return read();
    });
    if (!changed) connection_.reset();
    return changed;
}

Result<bool> NotesReader::read() {
    const std::int64_t version = connection_->database.execAndGet("PRAGMA data_version").getInt64();
    if (std::exchange(connection_->version, version) == version) return false;
    const SQLite::Transaction snapshot(connection_->database);
    NotesOfRuns now = readAll(connection_->database);
    if (now == notes_) return false;
    notes_ = std::move(now);
    return true;
}

}  // namespace dasgd::storage
