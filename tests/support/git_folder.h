// A folder that becomes a git repository.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/dasgd_program.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

class GitFolder {
public:
    // Uses a folder of its own where none is named.
    explicit GitFolder(const std::filesystem::path& folder = {}) : path_(folder.empty() ? own_.path() : folder) {
        git("init");
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    void git(const std::string& command) const {
        const std::string line = "git -C '" + path().string() + "' -c user.name=t -c user.email=t@t " + command +
                                 " > '" + said().string() + "' 2>&1";
        ASSERT_EQ(std::system(line.c_str()), 0) << line << "\n" << contentOf(said());
    }
    // The hash of a commit in which `file` holds `text`.
    [[nodiscard]] std::string commit(const std::string& file, const std::string& text) const {
        writeText(path_ / file, text);
        git("add '" + file + "'");
        git("commit -m commit");
        git("rev-parse HEAD");
        const std::string hash = contentOf(said());
        return hash.substr(0, hash.find('\n'));
    }

private:
    [[nodiscard]] std::filesystem::path said() const { return own_ / "said"; }

    TempDir own_;
    const std::filesystem::path path_;
};

}  // namespace dasgd::test
