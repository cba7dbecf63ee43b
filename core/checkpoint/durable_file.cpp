#include "core/checkpoint/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "core/base/unfinished_checkpoints.h"

namespace dasgd {

namespace {

namespace fs = std::filesystem;

class OpenFile {
public:
    explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    [[nodiscard]] int get() const { return descriptor_; }
    // Reports errors that a file system holds back until the file is closed.
    [[nodiscard]] bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

private:
    int descriptor_;
};

std::string reason() { return std::generic_category().message(errno); }

bool writeAll(int descriptor, std::span<const unsigned char> bytes) {
    // One call writes less than 2 GiB.
    constexpr std::size_t kMost = 1 << 30;
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMost));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

// Writes `parts` to `file`; returns the reason of a failure, else "".
std::string write(const fs::path& file, const std::vector<std::span<const unsigned char>>& parts) {
    OpenFile out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (out.get() < 0) return reason();
    for (const auto& part : parts) {
        if (!writeAll(out.get(), part)) return reason();
    }
    if (::fsync(out.get()) != 0 || !out.close()) return reason();
    return {};
}

}  // namespace

Status writeDurably(const fs::path& file, const std::vector<std::span<const unsigned char>>& parts) {
    fs::path aside = file;
    aside += kFileBeingWritten;
    std::string problem = write(aside, parts);
    if (problem.empty() && ::rename(aside.c_str(), file.c_str()) != 0) problem = reason();
    if (problem.empty()) return {};
    ::unlink(aside.c_str());
    return fail(file.string() + ": cannot be written: " + problem);
}

Status writeDurably(const fs::path& file, std::string_view text) {
    return writeDurably(file, {{reinterpret_cast<const unsigned char*>(text.data()), text.size()}});
}

Status syncFolder(const fs::path& folder) {
    const OpenFile opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.get() < 0 || ::fsync(opened.get()) != 0) return fail(folder.string() + ": " + reason());
    return {};
}

}  // namespace dasgd
