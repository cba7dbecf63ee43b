// Numbers with leading zeros: names of files then sort as the numbers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dasgd {

// `number` with at least `digits` digits: 3 in four digits is "0003".
[[nodiscard]] inline std::string zeroPadded(std::uint64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

}  // namespace dasgd
