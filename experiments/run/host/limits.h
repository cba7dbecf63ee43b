// Limits as the kernel's files tell them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>

namespace dasgd::experiments {

// Larger values mean no limit. Control groups of version 1 write −1 or, for memory, the largest number of whole pages;
// version 2 writes "max".
inline constexpr double kNoLimit = 9e18;

// The number at the file's beginning; nullopt where there is none, or where it stands for no limit.
inline std::optional<double> amountIn(const std::filesystem::path& file) {
    double number = -1;
    std::ifstream in(file);
    return in >> number && number >= 0 && number < kNoLimit ? std::optional(number) : std::nullopt;
}

// The smallest of the limits that are set.
inline std::optional<double> smallest(std::initializer_list<std::optional<double>> limits) {
    std::optional<double> least;
    for (const auto& limit : limits) {
        if (limit) least = std::min(least.value_or(*limit), *limit);
    }
    return least;
}

}  // namespace dasgd::experiments
