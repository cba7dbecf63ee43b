#include "core/datasets/formats/class_folders.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace dasgd {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 9> kImageEndings{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                        ".pgm", ".tif",  ".tiff", ".webp"};

struct Entries {
    std::vector<fs::path> folders, files;
};

Result<Entries> entriesOf(const fs::path& folder) {
    std::error_code code;
    Entries entries;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        if (at->path().filename().string().starts_with('.')) continue;
        std::error_code ignored;
        (at->is_directory(ignored) ? entries.folders : entries.files).push_back(at->path());
    }
    if (code) return fail(folder.string() + ": this folder cannot be read (" + code.message() + ")");
    std::ranges::sort(entries.folders);
    return entries;
}

// Tells a folder from all others, whatever links lead to it.
using FolderId = std::pair<dev_t, ino_t>;

class Walk {
public:
    Status enter(const fs::path& folder) {
        struct ::stat status {};
        if (::stat(folder.c_str(), &status) != 0) return {};  // gone since it was listed
        const FolderId id{status.st_dev, status.st_ino};
        if (std::ranges::find(around_, id) != around_.end()) {
            return fail(folder.string() + ": this link leads back to a folder that it lies in; remove it");
        }
        around_.push_back(id);
        DASGD_ASSIGN(Entries entries, entriesOf(folder));
        for (const fs::path& file : entries.files) found_.emplace_back(folder.string(), file.filename().string());
        for (const fs::path& inner : entries.folders) DASGD_TRY(enter(inner));
        around_.pop_back();
        return {};
    }

    std::vector<fs::path> take() {
        std::ranges::sort(found_);
        std::vector<fs::path> files;
        files.reserve(found_.size());
        for (const auto& [folder, name] : found_) files.push_back(fs::path(folder) / name);
        return files;
    }

private:
    std::vector<FolderId> around_;
    std::vector<std::pair<std::string, std::string>> found_;
};

}  // namespace

Result<std::vector<fs::path>> classFolders(const fs::path& split) {
    DASGD_ASSIGN(Entries entries, entriesOf(split));
    return std::move(entries.folders);
}

Result<std::vector<fs::path>> filesBelow(const fs::path& folder) {
    Walk walk;
    DASGD_TRY(walk.enter(folder));
    return walk.take();
}

bool hasImageName(const fs::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::find(kImageEndings, ending) != kImageEndings.end();
}

}  // namespace dasgd
