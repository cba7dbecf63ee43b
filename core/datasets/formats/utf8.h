// Decoding of UTF-8 text.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Follows RFC 3629: no overlong forms, no surrogates, at most U+10FFFF. The error begins with the line, "12: ".
[[nodiscard]] Result<std::vector<char32_t>> decodeUtf8(std::string_view text);

}  // namespace dasgd
