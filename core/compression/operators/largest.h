// The numbers of a vector that are largest by magnitude, exactly. NaN counts as larger than infinity, so that it is
// chosen and seen.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/compression/bits.h"

namespace dasgd {

// Passes over memory that finding the largest takes, where they are few: three for the threshold and one for them.
inline constexpr double kPassesOfLargest = 4;

namespace detail {

// The k largest of n numbers by the upper bits of their magnitudes: those above `prefix` all, and of those that equal
// it the first `ties`.
struct LargestThreshold {
    std::int64_t prefix = 0;
    int shift = 0;  // bits below the prefix
    std::int64_t ties = 0;
};

// Calls f(i) for the numbers whose magnitude satisfies `matches`, which are assumed to be few.
template <class T, class Matches, class F>
void forFew(const T* x, std::int64_t n, Matches&& matches, F&& f) {
    constexpr std::int64_t kGroup = 32;
    std::int64_t i = 0;
    for (; i + kGroup <= n; i += kGroup) {
        int any = 0;
        for (std::int64_t j = 0; j < kGroup; ++j) any |= matches(magnitudeBits(x[i + j])) ? 1 : 0;
        if (any == 0) continue;
        for (std::int64_t j = 0; j < kGroup; ++j) {
            if (matches(magnitudeBits(x[i + j]))) f(i + j);
        }
    }
    for (; i < n; ++i) {
        if (matches(magnitudeBits(x[i]))) f(i);
    }
}

// Digit by digit from the top: each pass counts the numbers that have the digits found so far by their next one.
template <class T>
LargestThreshold thresholdOfLargest(const T* x, std::int64_t n, std::int64_t k) {
    using Bits = decltype(magnitudeBits(T{}));
    constexpr int kDigit = 11, kTables = 4;
    std::array<std::array<std::uint32_t, 1 << kDigit>, kTables> counts;
    Bits prefix = 0;
    int shift = 8 * sizeof(T) - 1;
    std::size_t tables = kTables;
    while (true) {
        const int width = std::min(kDigit, shift), above = shift;
        shift -= width;
        const Bits mask = (Bits{1} << width) - 1;
        for (std::size_t i = 0; i < tables; ++i) counts[i].fill(0);
        onWideVectors([&counts, x, n, prefix, above, shift, mask, tables] {
            const auto digit = [shift, mask](Bits bits) { return static_cast<std::size_t>((bits >> shift) & mask); };
            if (tables == 1) {
                forFew(
                    x, n, [prefix, above](Bits bits) { return (bits >> above) == prefix; },
                    [&](std::int64_t i) { ++counts[0][digit(magnitudeBits(x[i]))]; });
                return;
            }
            // Neighbours are often alike: four tables spare them waiting for each other's count.
            std::int64_t i = 0;
            for (; i + kTables <= n; i += kTables) {
                for (int j = 0; j < kTables; ++j) ++counts[j][digit(magnitudeBits(x[i + j]))];
            }
            for (; i < n; ++i) ++counts[0][digit(magnitudeBits(x[i]))];
        });
        auto value = static_cast<std::size_t>(mask);
        const auto count = [&counts, tables](std::size_t at) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < tables; ++i) sum += counts[i][at];
            return sum;
        };
        for (; count(value) < k; --value) k -= count(value);
        prefix = (prefix << width) | static_cast<Bits>(value);
        if (shift == 0 || count(value) == k) return {prefix, shift, k};
        tables = 1;
    }
}

}  // namespace detail

// Calls f(i) for the k largest of n numbers, 1 <= k <= n, in ascending order of their places; of equal ones for those
// that come first.
template <class T, class F>
void forLargest(const T* x, std::int64_t n, std::int64_t k, F&& f) {
    const detail::LargestThreshold threshold = detail::thresholdOfLargest(x, n, k);
    std::int64_t ties = threshold.ties;
    onWideVectors([&, prefix = static_cast<decltype(magnitudeBits(T{}))>(threshold.prefix), shift = threshold.shift] {
        detail::forFew(
            x, n, [prefix, shift](auto bits) { return (bits >> shift) >= prefix; },
            [&](std::int64_t i) {
                if ((magnitudeBits(x[i]) >> shift) == prefix && ties-- <= 0) return;
                f(i);
            });
    });
}

// The places of these numbers.
template <class T>
[[nodiscard]] std::vector<std::int64_t> largestPlaces(const T* x, std::int64_t n, std::int64_t k) {
    std::vector<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(k));
    forLargest(x, n, k, [&places](std::int64_t i) { places.push_back(i); });
    return places;
}

}  // namespace dasgd
