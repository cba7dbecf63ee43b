#include "core/datasets/formats/utf8.h"

#include <algorithm>
#include <string>

namespace dasgd {

namespace {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 0;  // 0: no valid character
};

// Form of a first byte: how many bytes follow, which of its bits count, and the smallest code that needs that many.
struct Form {
    unsigned char mask, mark;
    std::size_t bytes;
    char32_t smallest;
};
constexpr Form kForms[] = {{0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

Character characterAt(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const auto* form = std::ranges::find_if(kForms, [&](const Form& f) { return (first & f.mask) == f.mark; });
    if (form == std::end(kForms) || text.size() < form->bytes) return {};
    char32_t code = first & static_cast<unsigned char>(~form->mask);
    for (std::size_t i = 1; i < form->bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0) != 0x80) return {};
        code = code << 6 | (next & 0x3F);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < form->smallest || code > 0x10FFFF || surrogate) return {};
    return {code, form->bytes};
}

}  // namespace

Result<std::vector<char32_t>> decodeUtf8(std::string_view text) {
    std::vector<char32_t> characters;
    for (std::size_t at = 0; at < text.size();) {
        const Character next = characterAt(text.substr(at));
        if (next.bytes == 0) {
            const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
            return fail(std::to_string(line) + ": byte " + std::to_string(at) + " of the text is not UTF-8");
        }
        characters.push_back(next.code);
        at += next.bytes;
    }
    return characters;
}

}  // namespace dasgd
