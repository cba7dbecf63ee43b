// How a run ends: its final status, and what is removed. Shared by Recorder and by recovery.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/base/database.h"

namespace dasgd::storage {

// The outcome of several ranks together: failed, interrupted, stopped or finished, the first of these that occurs.
std::string worstOf(const std::vector<std::string>& outcomes);

// What the ranks' own last states say: `failed` if any said so, `finished` or `stopped` if all `workers` said that,
// else `interrupted`.
std::string statusFromRanks(SQLite::Database& database, std::int64_t runKey, int workers);

// Inside a batch: the final status; `error` only where it is not empty.
void writeStatus(SQLite::Database& database, std::int64_t runKey, const std::string& status, const std::string& error);

// Removes a rank's journal once lab.db holds all of it, unless its writer is still running.
void removeJournal(const WorkspacePaths& paths, const std::string& runId, int rank);

}  // namespace dasgd::storage
