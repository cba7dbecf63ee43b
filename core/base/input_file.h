// Files that users name as input of a program.
#pragma once

#include <filesystem>

namespace dasgd {

// True where the file can be read without waiting for another program to open it: a regular file, or one that this
// process was given open, such as /dev/stdin and <(command) of a shell. False for a FIFO or a device by its name:
// opening one may never return.
[[nodiscard]] bool isInputFile(const std::filesystem::path& file);

}  // namespace dasgd
