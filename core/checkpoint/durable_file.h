// Files that are whole or not there, whatever ends the process or the power: written beside their place, synced, and
// renamed into it. Never staged elsewhere: $TMPDIR may be small, or another file system.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// `parts`, one after the other, as `file`; replaces one that is there. The name itself is on the disk once its folder
// is synced too. Errors name the file and say why: disk full, no such folder, …; nothing of it is left then.
[[nodiscard]] Status writeDurably(const std::filesystem::path& file,
                                  const std::vector<std::span<const unsigned char>>& parts);
[[nodiscard]] Status writeDurably(const std::filesystem::path& file, std::string_view text);

// The names in `folder` are on the disk. Errors name it.
[[nodiscard]] Status syncFolder(const std::filesystem::path& folder);

}  // namespace dasgd
