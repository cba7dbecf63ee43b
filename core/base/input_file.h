// Files that users name for a program to read.
#pragma once

#include <filesystem>

namespace dasgd {

// Whether the file can be read without waiting for another program to open it: a regular file, or what this process was
// given open, as /dev/stdin and <(command) of a shell. Not so a FIFO or a device by its name: opening one may never
// return.
[[nodiscard]] bool isInputFile(const std::filesystem::path& file);

}  // namespace dasgd
