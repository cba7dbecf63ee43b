// How a run ends: its final status, and what is removed. Shared by Recorder, recovery and RunReader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/base/database.h"
#include "storage/runs/lost_run.h"

namespace dasgd::storage {

// The outcome of several ranks together: failed, interrupted, stopped or finished, the first of these that occurs.
std::string worstOf(const std::vector<std::string>& outcomes);

// The status that follows from the last states of the ranks: `failed` if any rank failed, `finished` or `stopped` if
// all `workers` reported that, else `interrupted`.
std::string statusFromRanks(SQLite::Database& database, std::int64_t runKey, int workers);

// `status`, but a run is no success without its record: `finished` becomes `failed` where there is `damage`.
std::string withDamage(const std::string& status, const std::string& damage);

// Inside a write transaction: the final status; `error` only where it is not empty. What ranks say they lost is added
// to it.
void writeStatus(SQLite::Database& database, std::int64_t runKey, const std::string& status, const std::string& error);

// Inside a write transaction: nothing more can come of these ranks, however they ended.
void forgetMeters(SQLite::Database& database, std::int64_t runKey, const std::vector<int>& ranks);

// Why a run has no end, where `holder` is who signed its owner lock last.
std::string causeOfLoss(const std::string& holder);

// The two steps of RunReader::lost(), in this order. mayBeLost() is true if no process owns the run and none of its
// ranks lives, as far as that can be known, and if the folder of the run was removed: a process of it that lives can
// record nothing any more. endOfLost() gives the end of such a run that is stored as queued or
// running; nullopt for a run that was taken from another workspace, where its owner is.
bool mayBeLost(const WorkspacePaths& paths, const std::string& runId);
std::optional<LostRun> endOfLost(SQLite::Database& database, const WorkspacePaths& paths, const std::string& runId);

// The journals of a run that are there, by the rank that each is of.
std::vector<int> journalsOf(const WorkspacePaths& paths, const std::string& runId);

// True if a process still writes one of the journals.
bool anyWriterAlive(const WorkspacePaths& paths, const std::string& runId, const std::vector<int>& journals);

// One process collects a rank: the locks of the ranks' journals say which, whether or not a journal is there. Errors:
// another process has one of them, which is named.
Result<std::vector<FileLock>> lockJournals(const WorkspacePaths& paths, const std::string& runId,
                                           const std::vector<int>& ranks);

// Removes a rank's journal once lab.db holds all of it, unless its writer is still running.
void removeJournal(const WorkspacePaths& paths, const std::string& runId, int rank);

}  // namespace dasgd::storage
