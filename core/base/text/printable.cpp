#include "core/base/text/printable.h"

#include <algorithm>
#include <cstdio>

#include "core/base/text/code_points.h"

namespace dasgd {

namespace {

// Moves the first character of `text`, or its first byte where it is not UTF-8, to the end of `out`, made visible.
void takeCharacter(std::string_view& text, std::string& out) {
    const CodePoint point = firstCodePoint(text);
    char escape[16];
    if (point.bytes == 0 || point.value < 0x80) {
        const auto byte = static_cast<unsigned char>(text[0]);
        std::snprintf(escape, sizeof escape, "\\x%02x", byte);
        const bool plain = point.bytes == 1 && !isHidden(byte);
        out += plain ? std::string(1, text[0]) : escape;
    } else if (isHidden(point.value)) {
        std::snprintf(escape, sizeof escape, "\\u%04x", point.value);
        out += escape;
    } else {
        out += text.substr(0, point.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(point.bytes, 1));
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) takeCharacter(text, out);
    return out;
}

std::string excerpt(std::string_view text) {
    constexpr int kMostCharacters = 40;
    std::string out;
    for (int taken = 0; taken < kMostCharacters && !text.empty(); ++taken) takeCharacter(text, out);
    return text.empty() ? out : out + "…";
}

}  // namespace dasgd
