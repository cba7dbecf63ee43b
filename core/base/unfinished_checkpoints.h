// Folders of checkpoints that a killed run was making or removing, and files that it was writing. Storage sweeps them
// by these names when it takes such a run in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Endings of the folders' names: a checkpoint that is being made, and one that is being removed.
inline constexpr std::string_view kPartialCheckpoint = ".partial", kRemovedCheckpoint = ".removed";
// Endings of files that do not have their name yet: being written here, or arriving from another host.
inline constexpr std::string_view kFileBeingWritten = ".writing", kFileArriving = ".arriving";

// Removes every entry of `folder` whose name `isMeant` accepts. Errors: the first entry that could not be removed.
template <class Predicate>
Status removeEntriesNamed(const std::filesystem::path& folder, Predicate isMeant) {
    namespace fs = std::filesystem;
    std::vector<fs::path> meant;
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        if (isMeant(entry->path().filename().string())) meant.push_back(entry->path());
    }
    Status removed;
    for (const fs::path& path : meant) {
        fs::remove_all(path, code);
        if (code && removed) removed = fail(path.string() + ": cannot be removed: " + code.message());
    }
    return removed;
}

// `folder`: the checkpoints of a run of which no process lives any more. Unfinished models go too: the best one's, and
// the final one's in the run's folder around it.
[[nodiscard]] inline Status removeUnfinishedCheckpoints(const std::filesystem::path& folder) {
    const auto isUnfinishedFile = [](const std::string& name) {
        return name.ends_with(kFileBeingWritten) || name.ends_with(kFileArriving);
    };
    const Status models = removeEntriesNamed(folder.parent_path(), [&](const std::string& name) {
        return name.starts_with("model.safetensors") && isUnfinishedFile(name);
    });
    const Status inside = removeEntriesNamed(folder, [&](const std::string& name) {
        return name.ends_with(kPartialCheckpoint) || name.ends_with(kRemovedCheckpoint) || isUnfinishedFile(name);
    });
    return inside ? models : inside;
}

}  // namespace dasgd
