// Folders of checkpoints that a killed run was making or removing. Storage sweeps them by these names when it takes
// such a run in.
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

// Removes every entry of `folder` whose name `isMeant` accepts. Errors: the first entry that could not be removed.
template <class Predicate>
Status removeFoldersNamed(const std::filesystem::path& folder, Predicate isMeant) {
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

// `folder`: the checkpoints of a run of which no process lives any more.
[[nodiscard]] inline Status removeUnfinishedCheckpoints(const std::filesystem::path& folder) {
    return removeFoldersNamed(folder, [](const std::string& name) {
        return name.ends_with(kPartialCheckpoint) || name.ends_with(kRemovedCheckpoint);
    });
}

}  // namespace dasgd
