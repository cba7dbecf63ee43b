// Takes runs of another workspace into this one. The rows of a part and how far its run was taken go into one
// transaction: every row lands once, whoever is killed when, and whichever processes take from the same workspace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/mirror/mirror_part.h"

namespace dasgd::storage {

// The workspace that sends the runs.
struct MirrorOrigin {
    std::string workspace;  // WorkspaceSource::identity()
    std::string origin;     // its name for people: "ssh://login/lab", a folder, a file
    std::string program;    // path of `dasgd` on that host; "" where it is of no use
};

// Stores the runs that another workspace sends. Belongs to one thread.
class MirrorSink {
public:
    // Makes the workspace where there is none. Errors: as Store::open.
    static Result<std::unique_ptr<MirrorSink>> open(const std::filesystem::path& workspace, MirrorOrigin origin);
    ~MirrorSink();
    MirrorSink(const MirrorSink&) = delete;
    MirrorSink& operator=(const MirrorSink&) = delete;

    // The runs that this workspace has, for WorkspaceSource::start().
    [[nodiscard]] Result<std::vector<KnownRun>> known();

    // Limits of what is taken of a run, whatever the other side sends: a text of its row, files and the bytes of one
    // and of all of them. Disk space that is left free.
    static constexpr std::size_t kMostTextBytes = std::size_t{8} << 20;
    static constexpr std::size_t kMostFiles = 4096;
    static constexpr std::int64_t kMostFileBytes = 64LL << 20;
    static constexpr std::int64_t kMostFilesBytes = 1LL << 30;
    static constexpr std::uint64_t kLeastFreeBytes = std::uint64_t{256} << 20;

    // Errors: the part is of other columns, or has more than is taken; it would be refused again.
    [[nodiscard]] Status check(const MirrorPart& part) const;
    // Committed when it returns. A run that is here from elsewhere is left as it is, and counted nowhere. Rows that
    // were taken already are passed over. Errors: as check(), the disk, which must keep kLeastFreeBytes.
    Status apply(const MirrorPart& part);

    // The other workspace was heard from: RunRow::heardAt of its runs, written at most every few seconds.
    Status heard();

    // Number of rows that this object stored, and the runs of which it took a part.
    [[nodiscard]] std::int64_t stored() const;
    [[nodiscard]] std::vector<std::string> touched() const;

private:
    class Impl;
    explicit MirrorSink(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// True if an origin is another machine, reached over ssh.
[[nodiscard]] bool isRemote(const std::string& origin);

}  // namespace dasgd::storage
