// Files and locks of a workspace. Locks are flock: the kernel drops them with the process, so none is ever stale.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd::storage {

// Workspace paths, the same for everyone.
struct WorkspacePaths {
    std::filesystem::path root;
    [[nodiscard]] std::filesystem::path database() const { return root / "lab.db"; }
    [[nodiscard]] std::filesystem::path lock() const { return root / "lab.db.lock"; }
    [[nodiscard]] std::filesystem::path run(const std::string& runId) const { return root / "runs" / runId; }
    [[nodiscard]] std::filesystem::path journal(const std::string& runId,
                                                int rank) const;  // runs/<id>/journal/rank-0003
    [[nodiscard]] std::filesystem::path owner(const std::string& runId) const { return run(runId) / "owner.lock"; }
    [[nodiscard]] std::filesystem::path checkpoints(const std::string& runId) const {
        return run(runId) / "checkpoints";
    }
    [[nodiscard]] std::filesystem::path control(const std::string& runId) const { return run(runId) / "control"; }
};

// A flock held until destruction. Never inherited by programs that the process starts.
class FileLock {
public:
    enum class Kind { Shared, Exclusive };
    FileLock() = default;
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

    static constexpr std::chrono::milliseconds kPatience{120'000};

    // Creates the file. After 2 s it is said which process holds it. Errors: it is held for longer than `patience`; a
    // SIGINT or SIGTERM is pending.
    static Result<FileLock> wait(const std::filesystem::path& file, Kind kind,
                                 std::chrono::milliseconds patience = kPatience);
    // nullopt where someone else holds it.
    static Result<std::optional<FileLock>> tryNow(const std::filesystem::path& file, Kind kind);

    // True if the file exists and no process holds its lock; false also if that cannot be known. Creates nothing.
    // `allowed`: the user allowed this file system (isFileSystemAllowed), so its locks are trusted although those of
    // other hosts may be hidden.
    [[nodiscard]] static bool isFree(const std::filesystem::path& file, bool allowed = false);

    // From shared to exclusive, if no other process holds it; the lock is lost where that fails.
    [[nodiscard]] bool tryUpgrade();
    // Adds "pid host" to the file, for people.
    void sign() const;
    // The last line that sign() wrote; "" without one.
    static std::string holder(const std::filesystem::path& file);
    [[nodiscard]] explicit operator bool() const { return file_ >= 0; }

private:
    explicit FileLock(int file) : file_(file) {}
    int file_ = -1;
};

// Empty where statfs's `type` is known to be of one host alone; else what it is: there SQLite's WAL, which needs shared
// memory, does not work for several hosts, and locks of other hosts may not be seen.
std::string sharedFileSystem(long type);
// A warning of a workspace on a file system of statfs's `type` that was allowed; "" of one of this host alone. Errors:
// it may be shared, and was not allowed.
Result<std::string> judgeFileSystem(const std::filesystem::path& root, long type, bool allowed);
// From now on prepareWorkspace() takes the workspace's file system, whatever it is, with a warning where it
// may be shared. For users who know that only this host writes to it.
Status allowFileSystem(const std::filesystem::path& root);
[[nodiscard]] bool isFileSystemAllowed(const std::filesystem::path& root);

// Checks whether a folder, existing or not, can hold a workspace: its path is not too long, its file system belongs to
// this host alone or was allowed, and lab.db is a file if it exists. Writes nothing.
Status checkPlace(const std::filesystem::path& root);
// Makes the folder, for its owner alone, and refuses what cannot hold a workspace: an unwritable place, a file, a path
// that is too long, a file system that is not known to be of this host alone and was not allowed.
Status prepareWorkspace(const std::filesystem::path& root);
// A folder in a workspace, unless it is there: for its owner alone, as the workspace itself may be open to others.
Status makeOwnFolder(const std::filesystem::path& folder);
// Errors: something is there that is no file, which opening might wait for.
Status checkDatabaseFile(const std::filesystem::path& file);

// Letters, digits, '.', '_', '-', not leading with '.', at most 128 bytes: safe as a folder's name.
bool isRunId(const std::string& id);

}  // namespace dasgd::storage
