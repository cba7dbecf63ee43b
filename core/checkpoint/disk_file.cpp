#include "core/checkpoint/disk_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace dasgd {

namespace {

// Bytes of one call.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

auto unreadable(const std::filesystem::path& file) {
    return fail(file.string() + ": cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

Result<DiskFile> DiskFile::open(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return unreadable(file);
    DiskFile opened(file, descriptor, 0);
    struct ::stat status {};
    if (::fstat(descriptor, &status) != 0) return unreadable(file);
    if (!S_ISREG(status.st_mode)) return fail(file.string() + ": this is not a regular file");
    opened.size_ = static_cast<std::uint64_t>(status.st_size);
    return opened;
}

DiskFile::DiskFile(DiskFile&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

DiskFile::~DiskFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Status DiskFile::read(std::uint64_t at, std::span<unsigned char> into) const {
    while (!into.empty()) {
        const ssize_t got =
            ::pread(descriptor_, into.data(), std::min(into.size(), kPieceBytes), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return unreadable(file_);
        if (got == 0) return fail(file_.string() + ": ends after " + std::to_string(at) + " bytes");
        at += static_cast<std::uint64_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

Status DiskFile::addTo(Sha256& hash, std::uint64_t at, std::uint64_t bytes) const {
    std::vector<unsigned char> piece(std::min<std::uint64_t>(bytes, kPieceBytes));
    for (const std::uint64_t end = at + bytes; at < end; at += piece.size()) {
        piece.resize(std::min<std::uint64_t>(end - at, kPieceBytes));
        DASGD_TRY(read(at, piece));
        hash.add({reinterpret_cast<const char*>(piece.data()), piece.size()});
    }
    return {};
}

Result<std::string> DiskFile::sha256() const {
    Sha256 hash;
    DASGD_TRY(addTo(hash, 0, size_));
    return hash.finish();
}

}  // namespace dasgd
