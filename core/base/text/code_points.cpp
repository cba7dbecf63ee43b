#include "core/base/text/code_points.h"

namespace dasgd {

CodePoint firstCodePoint(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (bytes == 0 || lead >= 0xf5 || text.size() < bytes) return {};
    std::uint32_t value = lead & (0xff >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        value = value << 6 | (byte(i) & 0x3f);
    }
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < smallest[bytes] || value > 0x10ffff || surrogate) return {};
    return {value, bytes};
}

bool isHidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

bool hasHidden(std::string_view text) {
    while (!text.empty()) {
        const CodePoint point = firstCodePoint(text);
        if (point.bytes == 0 || isHidden(point.value)) return true;
        text.remove_prefix(point.bytes);
    }
    return false;
}

}  // namespace dasgd
