// A file as bytes in memory, shared by all processes that read it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace dasgd {

// Read-only. The pages are the file's own in the system's cache: several processes hold them once.
class FileMapping {
public:
    // Errors name the file: missing, not a regular file, unreadable, empty.
    [[nodiscard]] static Result<std::shared_ptr<const FileMapping>> open(const std::filesystem::path& file);
    ~FileMapping();
    FileMapping(const FileMapping&) = delete;
    FileMapping& operator=(const FileMapping&) = delete;

    [[nodiscard]] std::span<const unsigned char> bytes() const { return {bytes_, size_}; }

private:
    FileMapping(const unsigned char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

    const unsigned char* bytes_;
    std::size_t size_;
};

}  // namespace dasgd
