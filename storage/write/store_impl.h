// Inside of Store, shared with Recorder.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "storage/base/database.h"
#include "storage/write/store.h"

namespace dasgd::storage {

class Store::Impl {
public:
    explicit Impl(WorkspacePaths where) : paths(std::move(where)) {}

    WorkspacePaths paths;
    std::unique_ptr<WriteConnection> connection;
    std::map<std::string, FileLock> owned;  // by run id: runs added and not yet handed to a Recorder
    int recovered = 0;

    // The owner lock of a run, taken over from addRun() or taken now.
    Result<FileLock> takeOwnership(const std::string& runId);
    Status recoverDeadRuns();
    // What killed deletions left: the folder of a run that is still listed gets its name back, others are removed.
    void finishDeletions();
    struct DeadRun {
        std::int64_t key = 0;
        std::string runId;
        int workers = 0;
    };
    Result<std::vector<DeadRun>> runsWhere(const char* condition);

private:
    Result<bool> recover(const DeadRun& run);
    // Reads the journals of an ended run again: those that could not be read then may be readable now.
    Status readAgain(const DeadRun& run);
};

// Inside a write transaction: the hardware of `info` as that of the run.
void insertHardware(SQLite::Database& database, const RunInfo& info, const std::string& runId);

// "2026-11-21T12:03:01.123Z"
std::string utcText(std::chrono::system_clock::time_point at);
std::string utcNow();

}  // namespace dasgd::storage
