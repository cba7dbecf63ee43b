// The bytes of a plain or a gzip file, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"

namespace dasgd {

class ByteSource {
public:
    virtual ~ByteSource() = default;
    // Fills `out` as far as there are bytes; returns their number. Fails on a damaged stream.
    virtual Result<std::size_t> read(std::span<unsigned char> out) = 0;
    // Upper bound on the total number of bytes.
    [[nodiscard]] virtual std::int64_t bound() const = 0;
};

// Opens `file` as plain or gzip, by its first bytes. The file's bytes outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> openSource(std::span<const unsigned char> file);

// Reads all bytes. Errors: a damaged stream, more than `limit` bytes.
[[nodiscard]] Result<std::string> readWhole(ByteSource& source, std::size_t limit);

}  // namespace dasgd
