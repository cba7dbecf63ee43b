// Takes in the runs of another workspace of this machine: a folder, a copy of one, or a lab.db of any version up to
// this one's.
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
    bool checkpoints = false;         // also checkpoints and models, which are large
    std::function<bool()> cancelled;  // asked every now and then; what was taken by then stays
};

struct WorkspaceImportOutcome {
    std::vector<std::string> runs;  // that anything was taken of, also where a part was here already
    std::int64_t records = 0;
    std::vector<std::string> passedOver;  // here from elsewhere, and left as they are
    std::vector<std::string> notCopied;   // files, and runs that have more than is taken, each with the reason
    bool cancelled = false;
};

// Again takes what is new. Errors: there is no workspace, or one of a newer version; it is this workspace; the disk.
Result<WorkspaceImportOutcome> importWorkspace(const WorkspaceImportOptions& options);

// True if a path is a workspace or a database and not a trace file.
[[nodiscard]] bool isWorkspaceOrDatabase(const std::filesystem::path& path);

}  // namespace dasgd::experiments
