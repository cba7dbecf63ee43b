// A file read by calls that can fail. Reading through a mapping ends the process by SIGBUS where the disk cannot read a
// sector, so files of checkpoints are not read that way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/base/digest/sha256.h"
#include "core/base/result.h"

namespace dasgd {

class DiskFile {
public:
    // Errors name the file: missing, not a regular file, unreadable.
    [[nodiscard]] static Result<DiskFile> open(const std::filesystem::path& file);
    ~DiskFile();
    DiskFile(DiskFile&& other) noexcept;
    DiskFile& operator=(DiskFile&&) = delete;
    DiskFile(const DiskFile&) = delete;
    DiskFile& operator=(const DiskFile&) = delete;

    [[nodiscard]] std::uint64_t size() const { return size_; }
    // Fills `into` with the bytes from position `at` on. Errors name the file: it cannot be read there, or ends before.
    [[nodiscard]] Status read(std::uint64_t at, std::span<unsigned char> into) const;
    // Adds the `bytes` from position `at` on to the hash. Errors as those of read().
    [[nodiscard]] Status addTo(Sha256& hash, std::uint64_t at, std::uint64_t bytes) const;
    // SHA-256 of the whole file. Errors as those of read().
    [[nodiscard]] Result<std::string> sha256() const;

private:
    DiskFile(std::filesystem::path file, int descriptor, std::uint64_t size)
        : file_(std::move(file)), descriptor_(descriptor), size_(size) {}

    std::filesystem::path file_;
    int descriptor_;
    std::uint64_t size_;
};

}  // namespace dasgd
