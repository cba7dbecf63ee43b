// The characters of a text in UTF-8, and which of them are invisible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dasgd {

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0;  // 0: not UTF-8
};
// Of a text that is not empty.
[[nodiscard]] CodePoint firstCodePoint(std::string_view text);

// Control characters, and those that join, separate or turn round what stands beside them: a name with one of them is
// not what it looks like.
[[nodiscard]] bool isHidden(std::uint32_t codePoint);
// Whether one of them is in `text`, or a byte that is not UTF-8.
[[nodiscard]] bool hasHidden(std::string_view text);

}  // namespace dasgd
