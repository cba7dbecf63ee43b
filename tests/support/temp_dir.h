// A folder of its own for one test, gone afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/check.h"

namespace dasgd::test {

// Removes a file or folder though others write in the folder meanwhile: what they add between two looks goes too.
inline void removeWhatIsInUse(const std::filesystem::path& path) {
    std::error_code error;
    do {
        std::filesystem::remove_all(path, error);
    } while (std::filesystem::exists(std::filesystem::symlink_status(path)));
}

class TempDir {
public:
    explicit TempDir(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
        std::string name = (where / "dasgd-test-XXXXXX").string();
        DASGD_CHECK(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~TempDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

}  // namespace dasgd::test
