// Files that users name as input of a program.
#pragma once

#include <filesystem>

#include "core/base/schema/value.h"

namespace dasgd {

// Folder from which the name of a file counts that stands in `document`, at `named`: the folder of the file in which it
// is written; of a name given by hand, and where `named` is null, the document's own.
[[nodiscard]] std::filesystem::path folderOfNames(const Value& document, const Value* named);

// True where the file can be read without waiting for another program to open it: a regular file, or one that this
// process was given open, such as /dev/stdin and <(command) of a shell. False for a FIFO or a device by its name:
// opening one may never return.
[[nodiscard]] bool isInputFile(const std::filesystem::path& file);

}  // namespace dasgd
