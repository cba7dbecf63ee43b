// Limits as the kernel's files tell them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>

namespace dasgd::experiments {

// Of no limit control groups of version 1 say −1 or, of memory, the largest number of whole pages; version 2 "max".
inline constexpr double kNoLimit = 9e18;

// The number at the file's beginning; nullopt where there is none, or where it stands for no limit.
inline std::optional<double> amountIn(const std::filesystem::path& file) {
    double number = -1;
    std::ifstream in(file);
    return in >> number && number >= 0 && number < kNoLimit ? std::optional(number) : std::nullopt;
}

// Of those that are there.
inline std::optional<double> smallest(std::initializer_list<std::optional<double>> limits) {
    std::optional<double> least;
    for (const auto& limit : limits) {
        if (limit) least = std::min(least.value_or(*limit), *limit);
    }
    return least;
}

}  // namespace dasgd::experiments
