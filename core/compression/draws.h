// Random numbers of a coding, and the places that they choose.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace dasgd {

// Numbers in [0, 1), uniform: the upper 53 bits of each number of mt19937_64 (Nishimura 2000). The generator is written
// out, and makes 312 numbers at a time, because the one of the standard library takes three times as long: rounding
// draws for each number of a vector.
class Draws {
public:
    explicit Draws(std::uint64_t seed);
    [[nodiscard]] double next() {
        if (used_ == kWords) keepSome();
        return drawn_[used_++];
    }
    // The next `count` draws.
    void fill(double* to, std::int64_t count);

private:
    static constexpr std::size_t kWords = 312;

    // Makes the next kWords draws.
    void renew(double* to);
    void keepSome();

    std::array<std::uint64_t, kWords> state_{};
    std::array<double, kWords> drawn_{};
    std::size_t used_ = kWords;
};

// Passes over a vector's memory that take as long as a draw for each of its numbers (tests/bench/compression_bench).
inline constexpr double kPassesOfADraw = 5;

// Calls take(i) for `chosen` of `count` places, in ascending order, all such sets being equally likely: selection
// sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S). There is one draw for each place; fill(u, n)
// gives the next n.
template <class Fill, class Take>
void selectPlaces(std::int64_t count, std::int64_t chosen, Fill&& fill, Take&& take) {
    constexpr int kDraws = 1024, kGroup = 32;
    double u[kDraws];
    for (std::int64_t begin = 0; begin < count; begin += kDraws) {
        const int size = static_cast<int>(std::min<std::int64_t>(kDraws, count - begin));
        fill(u, size);
        const auto isTaken = [&u, left = static_cast<double>(count - begin)](int i, double of) {
            return u[i] * (left - i) < of;
        };
        const auto look = [&](int i) {
            if (!isTaken(i, static_cast<double>(chosen))) return;
            take(begin + i);
            --chosen;
        };
        int i = 0;
        for (; i + kGroup <= size; i += kGroup) {
            // Most groups have no place that is taken, which is quickly seen.
            int any = 0;
            for (int j = 0; j < kGroup; ++j) any |= isTaken(i + j, static_cast<double>(chosen)) ? 1 : 0;
            if (any == 0) continue;
            for (int j = 0; j < kGroup; ++j) look(i + j);
        }
        for (; i < size; ++i) look(i);
    }
}

}  // namespace dasgd
