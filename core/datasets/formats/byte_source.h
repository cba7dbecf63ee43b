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
    // Fills `out` as far as the bytes reach; answers how many. Fails on a damaged stream.
    virtual Result<std::size_t> read(std::span<unsigned char> out) = 0;
    // No more than this many bytes can come in all.
    [[nodiscard]] virtual std::int64_t bound() const = 0;
};

// Which of the two `file` is, its first bytes say. The bytes outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> openSource(std::span<const unsigned char> file);

// All of them. Errors: a damaged stream, more than `limit` bytes.
[[nodiscard]] Result<std::string> readWhole(ByteSource& source, std::size_t limit);

}  // namespace dasgd
