// Takes in the runs of another workspace of this machine: a folder, a copy of one, or a lab.db.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd::experiments {

struct WorkspaceImportOptions {
    std::filesystem::path from;
    std::filesystem::path workspace;
    bool checkpoints = false;         // copy checkpoints and models too, which are large
    std::function<bool()> cancelled;  // asked repeatedly; once true, the import ends and keeps the records taken so far
};

struct WorkspaceImportOutcome {
    std::vector<std::string> runs;  // ids of the runs of which records were taken
    std::int64_t records = 0;
    std::vector<std::string> passedOver;  // runs that are here from another origin, and stay as they are
    std::vector<std::string> notCopied;   // files, and runs that have more than is taken, each with the reason
    bool cancelled = false;
};

// Again takes what is new. Errors: there is no workspace, or one of another version; it is this workspace; the disk.
Result<WorkspaceImportOutcome> importWorkspace(const WorkspaceImportOptions& options);

// True if a path is a workspace or a database and not a trace file.
[[nodiscard]] bool isWorkspaceOrDatabase(const std::filesystem::path& path);

}  // namespace dasgd::experiments
