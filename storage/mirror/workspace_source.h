// The runs of a workspace, told part by part to whoever keeps a copy of them in another one: rows in the order in which
// they were stored, from where the other side has them. Reads only; each part is one short read transaction.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/mirror/mirror_part.h"
#include "storage/mirror/source_database.h"

namespace dasgd::storage {

// Reads the runs of a workspace for another one. Belongs to one thread.
class WorkspaceSource {
public:
    enum class Files { None, ConfigAndLogs };

    // Errors: as SourceDatabase::open.
    static Result<std::unique_ptr<WorkspaceSource>> open(const std::filesystem::path& where, Files files);
    ~WorkspaceSource();
    WorkspaceSource(const WorkspaceSource&) = delete;
    WorkspaceSource& operator=(const WorkspaceSource&) = delete;

    // Identity of the workspace; a copy has the same.
    [[nodiscard]] const std::string& identity() const;
    [[nodiscard]] const WorkspacePaths& paths() const;

    // Names the runs that the receiver has, and how much of each. Call it before the first next(), and again after the
    // receiver began anew. Runs that are not named are sent from their beginning.
    void start(const std::vector<KnownRun>& known);

    // The next part to send: runs under way first, then the newest ones. nullopt: nothing more at present; ask again
    // later. Each answer is assumed to arrive: the next one continues after it.
    [[nodiscard]] Result<std::optional<MirrorPart>> next();

    // After next() returned nothing: true if everything stored before that call has been sent. Otherwise a summary
    // waits, because summaries are sent a few times a second.
    [[nodiscard]] bool isCurrent() const;

    // Runs that the other side has from elsewhere, by their ids here.
    [[nodiscard]] const std::vector<std::string>& passedOver() const;

    static constexpr std::int64_t kMostRows = 16'384;              // most rows of a table in one part
    static constexpr std::int64_t kMostFileBytes = 64LL << 20;     // most bytes of a file; the rest is not sent
    static constexpr std::size_t kMostFilePartBytes = 512U << 10;  // most bytes of files in one part

private:
    class Impl;
    explicit WorkspaceSource(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace dasgd::storage
