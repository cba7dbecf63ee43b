// The characters of a text in UTF-8, and which of them are invisible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dasgd {

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0;  // 0 where the bytes are not UTF-8
};
// Decodes the first character of `text`, which is not empty.
[[nodiscard]] CodePoint firstCodePoint(std::string_view text);

// True for control characters and for characters that join, separate or reverse their neighbours: a name with one of
// them reads differently from what it is.
[[nodiscard]] bool isHidden(std::uint32_t codePoint);
// True where `text` holds a hidden character or a byte that is not UTF-8.
[[nodiscard]] bool hasHidden(std::string_view text);

}  // namespace dasgd
