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

// Of one thread.
class WorkspaceSource {
public:
    enum class Files { None, ConfigAndLogs };

    // Errors: as SourceDatabase::open.
    static Result<std::unique_ptr<WorkspaceSource>> open(const std::filesystem::path& where,
                                                         SourceDatabase::Older older, Files files);
    ~WorkspaceSource();
    WorkspaceSource(const WorkspaceSource&) = delete;
    WorkspaceSource& operator=(const WorkspaceSource&) = delete;

    // The same for a workspace and for copies of it.
    [[nodiscard]] const std::string& identity() const;
    [[nodiscard]] const WorkspacePaths& paths() const;

    // What the other side has; before the first next(), and again where that has begun anew. Runs that are not named
    // are told from their beginning.
    void start(const std::vector<KnownRun>& known);

    // What comes next: of runs under way first, then of the newest. nullopt: there is nothing more at present; ask
    // again later. Each answer is taken for granted: the next one goes on after it.
    [[nodiscard]] Result<std::optional<MirrorPart>> next();

    // After next() had nothing more: whether all that was stored before that call is told. Otherwise a summary waits,
    // as summaries are told a few times a second.
    [[nodiscard]] bool isCurrent() const;

    // Runs that the other side has from elsewhere, by their ids here.
    [[nodiscard]] const std::vector<std::string>& passedOver() const;

    static constexpr std::int64_t kMostRows = 16'384;              // of a table in one part
    static constexpr std::int64_t kMostFileBytes = 64LL << 20;     // of a file: what is after that stays there
    static constexpr std::size_t kMostFilePartBytes = 512U << 10;  // of the files in one part

private:
    class Impl;
    explicit WorkspaceSource(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace dasgd::storage
