// The 32-bit FNV-1a hash of a text: equal in every program and on every machine, which std::hash need not be.
#pragma once

#include <cstdint>
#include <string_view>

namespace dasgd {

[[nodiscard]] constexpr std::uint32_t fnv1a(std::string_view text) {
    std::uint32_t hash = 2'166'136'261U;
    for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 16'777'619U;
    return hash;
}

}  // namespace dasgd
