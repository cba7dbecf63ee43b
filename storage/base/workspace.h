// Files and locks of a workspace. Locks are flock: the kernel drops them with the process, so none is ever stale.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

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

    // Waits as long as it takes. Creates the file.
    static Result<FileLock> wait(const std::filesystem::path& file, Kind kind);
    // nullopt where someone else holds it.
    static Result<std::optional<FileLock>> tryNow(const std::filesystem::path& file, Kind kind);

    // Whether the file is there and no process holds it; false also where that cannot be known. Creates nothing.
    [[nodiscard]] static bool isFree(const std::filesystem::path& file);

    // From shared to exclusive, if no other process holds it; the lock is lost where that fails.
    [[nodiscard]] bool tryUpgrade();
    // Adds "pid host" to the file, for people.
    void sign() const;
    // Who signed last.
    static std::string holder(const std::filesystem::path& file);
    [[nodiscard]] explicit operator bool() const { return file_ >= 0; }

private:
    explicit FileLock(int file) : file_(file) {}
    int file_ = -1;
};

// Empty, or the name of the network file system that statfs's `type` stands for: no WAL and no safe locks there.
std::string networkFileSystem(long type);

// Whether locks that processes on other hosts hold may not be seen on a file system of statfs's `type`.
bool mayHideLocks(long type);

// Makes the folder, and refuses what cannot hold a workspace: an unwritable place, a file, a network file system.
Status prepareWorkspace(const std::filesystem::path& root);

// Letters, digits, '.', '_', '-', not leading with '.', at most 128 bytes: safe as a folder's name.
bool isRunId(const std::string& id);

}  // namespace dasgd::storage
