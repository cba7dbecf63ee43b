// IDX, the format of MNIST: a magic number (0, 0, 8 = unsigned byte, number of dimensions), the extents as big-endian
// 32-bit integers, the bytes. Plain or gzip. Nothing is allocated before the header was held against what is there.
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
    std::span<const std::uint8_t> bytes;  // as many as the product of the extents
    std::shared_ptr<const void> owner;    // keeps them; null: they lie in what was given to decodeIdx()
};

// `name` is what errors call the source. Bytes that are not compressed are not copied. Errors: not IDX, another number
// of dimensions than `dimensions`, extents that do not match the size, a damaged gzip stream.
[[nodiscard]] Result<IdxArray> decodeIdx(std::span<const unsigned char> file, int dimensions, const std::string& name);

// The same from a file, which is mapped: the processes of a host share the bytes of a plain one. Errors also: missing,
// not a regular file, unreadable.
[[nodiscard]] Result<IdxArray> readIdx(const std::filesystem::path& file, int dimensions);

}  // namespace dasgd
