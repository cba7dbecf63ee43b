// Files that are whole or absent, whatever ends the process or the power: written beside their final path, synced, and
// renamed into it. Never staged elsewhere: $TMPDIR may be small, or another file system.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Writes `parts`, one after the other, as `file`; replaces an existing one. The name itself is on the disk once its
// folder is synced too. Errors name the file and give the reason: disk full, no such folder, …; nothing of the file is
// left then.
[[nodiscard]] Status writeDurably(const std::filesystem::path& file,
                                  const std::vector<std::span<const unsigned char>>& parts);
[[nodiscard]] Status writeDurably(const std::filesystem::path& file, std::string_view text);

// Makes the names in `folder` durable on the disk. Errors name it.
[[nodiscard]] Status syncFolder(const std::filesystem::path& folder);

}  // namespace dasgd
