// Text from others (names, words of a file), made safe for a message: it must not control a terminal or flood it.
#pragma once

#include <string>
#include <string_view>

namespace dasgd {

// Replaces control characters, bidirectional overrides and broken UTF-8 by visible escapes (\x1b, \u202e). Printable
// text stays as it is.
[[nodiscard]] std::string printable(std::string_view text);

// The beginning of the text, printable: 40 characters at the most, and "…" where there is more.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace dasgd
