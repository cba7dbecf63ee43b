// IDX, the format of MNIST: a magic number (0, 0, 8 = unsigned byte, number of dimensions), the extents as big-endian
// 32-bit integers, the bytes. Plain or gzip. Nothing is allocated before the header has been checked against the file's
// size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

struct IdxArray {
    std::vector<std::int64_t> extents;
    std::span<const std::uint8_t> bytes;  // their number is the product of the extents
    std::shared_ptr<const void> owner;    // keeps them alive; null: they lie in the argument of decodeIdx()
};

// `name` names the source in errors. Bytes that are not compressed are not copied. Errors: not IDX, another number of
// dimensions than `dimensions`, extents that do not match the size, a damaged gzip stream.
[[nodiscard]] Result<IdxArray> decodeIdx(std::span<const unsigned char> file, int dimensions, const std::string& name);

// Decodes a file, which is mapped: the processes of a host share the bytes of a plain one. Further errors: missing, not
// a regular file, unreadable.
[[nodiscard]] Result<IdxArray> readIdx(const std::filesystem::path& file, int dimensions);

}  // namespace dasgd
