// Runs that leave the workspace for good. The order keeps every kill harmless: the folder gets another name inside of
// the transaction that deletes the rows, and is removed after it. So a folder with that name belongs to a deletion that
// is under way, or that was killed: before its commit the run is whole but for the name of its folder, after it only
// the folder is left.
#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/base/unfinished_checkpoints.h"
#include "storage/notes/run_notes.h"
#include "storage/runs/run_end.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

// No run has a folder of such a name: isRunId().
constexpr std::string_view kBeingDeleted = ".deleted-";

constexpr std::array kTablesOfRuns{"run_schema",  "run_hardware", "run_lineage", "run_series", "rank_state",
                                   "state_event", "metric",       "span_chunk",  "span_node",  "arrival",
                                   "rank_meter",  "run_restart",  "queue_entry", "mirror_run"};

fs::path folderBeingDeleted(const WorkspacePaths& paths, const std::string& runId) {
    return paths.root / "runs" / (std::string(kBeingDeleted) + runId);
}

void deleteWhere(SQLite::Database& database, const std::string& condition, std::int64_t first,
                 std::optional<std::int64_t> last = std::nullopt) {
    SQLite::Statement statement(database, "DELETE FROM " + condition);
    statement.bind(1, first);
    if (last) statement.bind(2, *last);
    statement.exec();
}

void deleteRows(SQLite::Database& database, std::int64_t run) {
    std::vector<std::pair<std::int64_t, std::int64_t>> chunks;
    SQLite::Statement query(database, "SELECT first_id, last_id FROM span_chunk WHERE run = ?");
    query.bind(1, run);
    while (query.executeStep()) chunks.emplace_back(query.getColumn(0).getInt64(), query.getColumn(1).getInt64());
    query.reset();
    for (const auto& [first, last] : chunks) {
        deleteWhere(database, "span_label WHERE span BETWEEN ? AND ?", first, last);
        deleteWhere(database, "span WHERE id BETWEEN ? AND ?", first, last);
    }
    for (const char* table : kTablesOfRuns) deleteWhere(database, std::string(table) + " WHERE run = ?", run);
    deleteWhere(database, "run WHERE id = ?", run);
}

// The run's key. Errors: it has not ended for good, or another run needs its checkpoint.
Result<std::int64_t> deletableKey(SQLite::Database& database, const std::string& runId) {
    SQLite::Statement query(database,
                            "SELECT id, status, EXISTS (SELECT 1 FROM queue_entry WHERE queue_entry.run = run.id), "
                            "(SELECT later.run_id FROM run_lineage JOIN run AS later ON later.id = run_lineage.run "
                            "WHERE resumed_from = ?1 AND later.status IN ('queued', 'running')) "
                            "FROM run WHERE run_id = ?1");
    query.bind(1, runId);
    if (!query.executeStep()) return fail("there is no run " + runId);
    const std::string status = query.getColumn(1).getString();
    if (status == "queued" || status == "running") {
        return fail("run " + runId + " is " + status + ": stop it first (dasgd stop)");
    }
    if (query.getColumn(2).getInt() != 0) return fail("run " + runId + " is in the queue, which starts it again");
    if (!query.getColumn(3).isNull()) {
        return fail("run " + query.getColumn(3).getString() + ", which resumes the checkpoint of run " + runId +
                    ", is under way: wait for its end");
    }
    return query.getColumn(0).getInt64();
}

Status forgetNotes(const WorkspacePaths& paths, const std::string& runId) {
    NotesReader reader(paths.root);
    DASGD_TRY(reader.refresh());
    const auto found = reader.notes().find(runId);
    if (found == reader.notes().end()) return {};
    const NotesChange change{
        .starred = false, .archived = false, .addTags = {}, .removeTags = found->second.tags, .note = ""};
    DASGD_TRY(changeNotes(paths.root, {runId}, change));
    return {};
}

// What is left once the rows are gone. The lock that says so goes last.
Status finishDeletion(const WorkspacePaths& paths, const std::string& runId) {
    DASGD_TRY(forgetNotes(paths, runId));
    const fs::path folder = folderBeingDeleted(paths, runId);
    const std::string lock = paths.owner(runId).filename();
    DASGD_TRY(removeEntriesNamed(folder, [&](const std::string& name) { return name != lock; }));
    std::error_code error;
    fs::remove_all(folder, error);
    return error ? fail(folder.string() + ": cannot be removed: " + error.message()) : Status();
}

}  // namespace

std::uintmax_t bytesOfFiles(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        std::error_code gone;
        if (each->is_symlink(gone) || !each->is_regular_file(gone)) continue;
        const std::uintmax_t own = each->file_size(gone);
        if (!gone) bytes += own;
    }
    return bytes;
}

Status Store::checkDeletable(const std::string& runId) {
    return guarded(impl_->paths.database(), [&]() -> Status {
        DASGD_TRY(deletableKey(impl_->connection->database(), runId));
        return {};
    });
}

Result<std::uintmax_t> Store::deleteRun(const std::string& runId) {
    const WorkspacePaths& paths = impl_->paths;
    DASGD_TRY(checkDeletable(runId));
    const fs::path folder = paths.run(runId), beingDeleted = folderBeingDeleted(paths, runId);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fail("cannot make the folder " + folder.string() + ": " + error.message());
    DASGD_ASSIGN(const auto owner, FileLock::tryNow(paths.owner(runId), FileLock::Kind::Exclusive));
    if (!owner || anyWriterAlive(paths, runId, journalsOf(paths, runId))) {
        return fail("a process of run " + runId + " is still there: try again once it has ended");
    }
    const std::uintmax_t bytes = bytesOfFiles(folder);
    const Status deleted = guarded(paths.database(), [&]() -> Status {
        DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*impl_->connection));
        auto& database = impl_->connection->database();
        DASGD_ASSIGN(const std::int64_t run, deletableKey(database, runId));
        deleteRows(database, run);
        fs::rename(folder, beingDeleted, error);
        if (error) return fail(folder.string() + ": cannot be renamed: " + error.message());
        transaction->commit(WriteTransaction::Then::CheckpointAll);
        return {};
    });
    if (!deleted) {
        fs::rename(beingDeleted, folder, error);
        return tl::unexpected<Error>(deleted.error());
    }
    DASGD_TRY(finishDeletion(paths, runId));
    return bytes;
}

Result<std::optional<std::uintmax_t>> Store::compact() {
    const auto bytes = [&] {
        std::uintmax_t sum = 0;
        for (const char* ending : {"", "-wal"}) {
            std::error_code absent;
            const std::uintmax_t own = fs::file_size(impl_->paths.database().string() + ending, absent);
            if (!absent) sum += own;
        }
        return sum;
    };
    DASGD_ASSIGN(const auto live, impl_->runsWhere("status = 'running'"));
    if (!live.empty()) return std::optional<std::uintmax_t>();
    const std::uintmax_t before = bytes();
    DASGD_TRY(impl_->connection->compact());
    const std::uintmax_t after = bytes();
    return std::optional(before > after ? before - after : 0);
}

void Store::Impl::finishDeletions() {
    std::vector<std::string> runs;
    std::error_code error;
    for (fs::directory_iterator each(paths.root / "runs", error), end; !error && each != end; each.increment(error)) {
        const std::string name = each->path().filename().string();
        if (name.starts_with(kBeingDeleted)) runs.push_back(name.substr(kBeingDeleted.size()));
    }
    for (const std::string& run : runs) {
        const fs::path folder = folderBeingDeleted(paths, run);
        const auto owner = FileLock::tryNow(folder / paths.owner(run).filename(), FileLock::Kind::Exclusive);
        if (!owner || !*owner) continue;  // whoever deletes it is at it
        const auto isListed = guarded(paths.database(), [&]() -> Result<bool> {
            SQLite::Statement query(connection->database(), "SELECT 1 FROM run WHERE run_id = ?");
            query.bind(1, run);
            return query.executeStep();
        });
        Status done = isListed ? Status() : tl::unexpected<Error>(isListed.error());
        if (isListed && *isListed) {
            fs::rename(folder, paths.run(run), error);
            if (error) done = fail(folder.string() + ": cannot be renamed: " + error.message());
        } else if (isListed) {
            done = finishDeletion(paths, run);
        }
        // Nobody is kept from recording by what a deletion left.
        if (!done) logLine(LogLevel::Warning, "the deletion of run " + run + " cannot end: " + done.error().message);
    }
}

}  // namespace dasgd::storage
