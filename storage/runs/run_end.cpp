#include "storage/runs/run_end.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "core/base/event.h"
#include "core/base/make_folders.h"
#include "core/journal/journal.h"
#include "storage/levels/level_writer.h"

namespace dasgd::storage {

std::string worstOf(const std::vector<std::string>& outcomes) {
    constexpr std::array<const char*, 4> worstFirst{"failed", "interrupted", "stopped", "finished"};
    for (const char* word : worstFirst) {
        if (std::find(outcomes.begin(), outcomes.end(), word) != outcomes.end()) return word;
    }
    return "interrupted";
}

std::string withDamage(const std::string& status, const std::string& damage) {
    return !damage.empty() && status == "finished" ? "failed" : status;
}

std::string statusFromRanks(SQLite::Database& database, std::int64_t runKey, int workers) {
    SQLite::Statement query(database, "SELECT state FROM rank_state WHERE run = ? AND state IS NOT NULL");
    query.bind(1, runKey);
    std::vector<std::string> outcomes;
    while (query.executeStep()) {
        switch (static_cast<RankState>(query.getColumn(0).getInt())) {
            case RankState::Failed: outcomes.emplace_back("failed"); break;
            case RankState::Finished: outcomes.emplace_back("finished"); break;
            case RankState::Stopped: outcomes.emplace_back("stopped"); break;
            default: outcomes.emplace_back("interrupted"); break;
        }
    }
    if (outcomes.size() < static_cast<std::size_t>(workers)) outcomes.emplace_back("interrupted");
    return worstOf(outcomes);
}

namespace {

// Removes the state from which a collector would continue. Late records may come from a rank on another host that has
// not reported its end: its meter stays, otherwise its numbers would cover the late records alone. Ranks of simulated
// time share one process and send no late records. Collectives stay undivided, because levels and mirrors have them.
void removeUnderWay(SQLite::Database& database, std::int64_t runKey) {
    SQLite::Statement arrivals(database, "DELETE FROM arrival WHERE run = ?");
    arrivals.bind(1, runKey);
    arrivals.exec();
    SQLite::Statement meters(
        database,
        "DELETE FROM rank_meter WHERE run = :run AND ("
        "(SELECT status = 'finished' OR time_simulated FROM run WHERE id = :run) OR "
        "rank IN (SELECT rank FROM rank_state WHERE run = :run AND state IN (:finished, :stopped, :failed)))");
    meters.bind(":run", runKey);
    meters.bind(":finished", static_cast<int>(RankState::Finished));
    meters.bind(":stopped", static_cast<int>(RankState::Stopped));
    meters.bind(":failed", static_cast<int>(RankState::Failed));
    meters.exec();
}

// Adds to the run's `error` the losses, for instance of checkpoints, that ranks reported although they ended well. They
// would otherwise stand in the ranks' states alone.
std::string withLosses(SQLite::Database& database, std::int64_t runKey, std::string error) {
    SQLite::Statement query(database,
                            "SELECT rank, state_text FROM rank_state WHERE run = ? AND state IN (?, ?) AND "
                            "state_text <> '' ORDER BY rank");
    query.bind(1, runKey);
    query.bind(2, static_cast<int>(RankState::Finished));
    query.bind(3, static_cast<int>(RankState::Stopped));
    std::string first;
    std::int64_t others = 0;
    while (query.executeStep()) {
        const std::string text = query.getColumn(1).getString();
        if (error.find(text) != std::string::npos) continue;
        if (first.empty()) {
            first = "rank " + std::to_string(query.getColumn(0).getInt()) + ": " + text;
        } else {
            ++others;
        }
    }
    if (first.empty()) return error;
    if (others > 0) first += "; and " + std::to_string(others) + (others == 1 ? " rank more" : " ranks more");
    return error + (error.empty() ? "" : "; ") + first;
}

std::string errorOf(SQLite::Database& database, std::int64_t runKey) {
    SQLite::Statement query(database, "SELECT error FROM run WHERE id = ?");
    query.bind(1, runKey);
    return query.executeStep() ? query.getColumn(0).getString() : "";
}

}  // namespace

void writeStatus(SQLite::Database& database, std::int64_t runKey, const std::string& status, const std::string& error) {
    const bool ends = status != "running";
    std::string why = error.empty() ? errorOf(database, runKey) : error;
    if (ends) why = withLosses(database, runKey, std::move(why));
    SQLite::Statement write(database, "UPDATE run SET status = ?, error = ? WHERE id = ?");
    write.bind(1, status);
    write.bind(2, why);
    write.bind(3, runKey);
    write.exec();
    if (!ends) return;
    removeUnderWay(database, runKey);
    SQLite::Statement query(database, "SELECT workers FROM run WHERE id = ?");
    query.bind(1, runKey);
    const int workers = query.executeStep() ? query.getColumn(0).getInt() : 1;
    static_cast<void>(LevelWriter(database, runKey, workers).finish());
}

void forgetMeters(SQLite::Database& database, std::int64_t runKey, const std::vector<int>& ranks) {
    SQLite::Statement clear(database, "DELETE FROM rank_meter WHERE run = ? AND rank = ?");
    clear.bind(1, runKey);
    for (const int rank : ranks) {
        clear.bind(2, rank);
        clear.exec();
        clear.reset();
    }
}

std::string causeOfLoss(const std::string& holder) {
    return "the process that ran it (" + (holder.empty() ? "unknown" : holder) + ") died before its end";
}

bool mayBeLost(const WorkspacePaths& paths, const std::string& runId) {
    std::error_code error;
    // A run has its folder and its owner's lock before its row.
    if (std::filesystem::status(paths.run(runId), error).type() == std::filesystem::file_type::not_found) return true;
    return FileLock::isFree(paths.owner(runId), isFileSystemAllowed(paths.root)) &&
           !anyWriterAlive(paths, runId, journalsOf(paths, runId));
}

std::optional<LostRun> endOfLost(SQLite::Database& database, const WorkspacePaths& paths, const std::string& runId) {
    SQLite::Statement query(database,
                            "SELECT id, workers, error FROM run WHERE run_id = ? AND (status = 'running' OR "
                            "(status = 'queued' AND id NOT IN (SELECT run FROM queue_entry))) "
                            "AND NOT EXISTS (SELECT 1 FROM mirror_run WHERE mirror_run.run = run.id)");
    query.bind(1, runId);
    if (!query.executeStep()) return std::nullopt;
    LostRun end{.status = statusFromRanks(database, query.getColumn(0).getInt64(), query.getColumn(1).getInt()),
                .error = query.getColumn(2).getString()};
    if (end.status == "interrupted" && end.error.empty()) end.error = causeOfLoss(FileLock::holder(paths.owner(runId)));
    return end;
}

std::vector<int> journalsOf(const WorkspacePaths& paths, const std::string& runId) {
    std::vector<int> journals;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(paths.run(runId) / "journal", ignored)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_directory(ignored) || !name.starts_with("rank-")) continue;
        const std::string digits = name.substr(5);
        if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos)
            continue;
        journals.push_back(std::stoi(digits));
    }
    return journals;
}

bool anyWriterAlive(const WorkspacePaths& paths, const std::string& runId, const std::vector<int>& journals) {
    return std::any_of(journals.begin(), journals.end(),
                       [&](int journal) { return JournalWriter::isAlive(paths.journal(runId, journal)); });
}

Result<std::vector<FileLock>> lockJournals(const WorkspacePaths& paths, const std::string& runId,
                                           const std::vector<int>& ranks) {
    // Where they cannot be made the lock cannot be made, which says why.
    static_cast<void>(makeFoldersBelow(paths.run(runId).parent_path(), std::filesystem::path(runId) / "journal"));
    std::vector<FileLock> locks;
    for (const int rank : ranks) {
        const std::filesystem::path file = paths.journal(runId, rank).string() + ".lock";
        const std::string holder = FileLock::holder(file);
        DASGD_ASSIGN(auto lock, FileLock::tryNow(file, FileLock::Kind::Exclusive));
        if (!lock) {
            return fail("rank " + std::to_string(rank) + " of " + runId + " is being collected by process " + holder);
        }
        lock->sign();
        locks.push_back(std::move(*lock));
    }
    return locks;
}

void removeJournal(const WorkspacePaths& paths, const std::string& runId, int rank) {
    const auto journal = paths.journal(runId, rank);
    if (JournalWriter::isAlive(journal)) return;
    std::error_code ignored;
    std::filesystem::remove_all(journal, ignored);
}

}  // namespace dasgd::storage
