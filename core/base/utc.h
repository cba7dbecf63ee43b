// Calendar time in UTC.
#pragma once

#include <array>
#include <chrono>
#include <ctime>
#include <string>

#include "core/base/clock.h"

namespace dasgd {

// `at` in UTC in strftime's `format`, rounded down to a whole second.
[[nodiscard]] inline std::string utcAs(const char* format, std::chrono::system_clock::time_point at) {
    const auto seconds =
        static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), format, &parts);
    return text.data();
}

[[nodiscard]] inline std::string utcNowAs(const char* format) {
    return utcAs(format, std::chrono::system_clock::now());
}

// Nanoseconds since 1970-01-01 UTC.
[[nodiscard]] inline Ns calendarNow() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace dasgd
