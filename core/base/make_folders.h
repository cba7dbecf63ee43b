// Folders inside of one that may have been removed meanwhile.
#pragma once

#include <filesystem>
#include <system_error>

namespace dasgd {

// Makes the folders of the relative path `below` inside of `base`, which has to exist: create_directories() would make
// the folder of a run again that somebody removed while it trained. Returns the first error, 0 where all folders exist.
inline std::error_code makeFoldersBelow(std::filesystem::path base, const std::filesystem::path& below) {
    std::error_code code;
    for (const std::filesystem::path& part : below) {
        if (!code) std::filesystem::create_directory(base /= part, code);
    }
    return code;
}

}  // namespace dasgd
