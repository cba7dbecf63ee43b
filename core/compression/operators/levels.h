// Numbers as whole multiples of a unit, in a few bits each.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/compression/bits.h"
#include "core/compression/draws.h"

namespace dasgd {

// A multiple of a unit that stands for y >= 0 units: ⌊y + u⌋, at most `levels`. The mean over u in [0, 1) is y; u = ½
// gives the nearest.
[[nodiscard]] inline int levelOf(double y, double u, int levels) { return std::min(static_cast<int>(y + u), levels); }

inline constexpr std::array<double, kChunk> kHalves = [] {
    std::array<double, kChunk> halves{};
    halves.fill(0.5);
    return halves;
}();

// A level and a sign as 1 + ⌈log₂(levels + 1)⌉ bits, the sign last.
class LevelCode {
public:
    explicit LevelCode(std::int64_t levels) : levels_(static_cast<int>(levels)), width_(1 + widthOf(levels + 1)) {}
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] std::int64_t bytes(std::int64_t elements) const { return bytesOfBits(elements * width_); }
    // Passes over a vector's memory that take as long (tests/bench/compression_bench). Codes of 4 and 8 bits are packed
    // by vector instructions, others bit by bit.
    [[nodiscard]] double encodePasses() const { return width_ == 4 || width_ == 8 ? 3.3 : 8.5; }
    [[nodiscard]] double decodePasses() const { return width_ == 4 || width_ == 8 ? 2.3 : 5.5; }

    // Rounds to the nearest level, or by one draw a number. A unit that is 0 or no number at all codes zeros, and draws
    // too.
    template <class T>
    void encode(const T* x, std::int64_t n, T unit, Draws* draws, std::byte* to) const {
        const T divisor = unit > 0 && unit < std::numeric_limits<T>::infinity() ? unit : 0;
        double drawn[kChunk];
        const double* const u = draws ? drawn : kHalves.data();
        for (std::int64_t begin = 0; begin < n; begin += kChunk) {
            const std::int64_t size = std::min(kChunk, n - begin);
            if (draws) draws->fill(drawn, size);
            std::byte* const into = to + bytesOfBits(begin * width_);
            onWidestVectors([this, from = x + begin, size, divisor, u, into] {
                std::uint16_t codes[kChunk];
                const int sign = 1 << (width_ - 1), levels = levels_;
                if (divisor == 0) {
                    std::fill_n(codes, size, std::uint16_t{0});
                } else {
                    for (std::int64_t i = 0; i < size; ++i) {
                        const int level = levelOf(static_cast<double>(std::abs(from[i]) / divisor), u[i], levels);
                        codes[i] = static_cast<std::uint16_t>(level | (from[i] < 0 ? sign : 0));
                    }
                }
                packBits(codes, size, width_, into);
            });
        }
    }
    // out ← out + step·level.
    template <class T>
    void decode(const std::byte* from, std::int64_t n, T step, T* out) const {
        for (std::int64_t begin = 0; begin < n; begin += kChunk) {
            const std::int64_t size = std::min(kChunk, n - begin);
            onWideVectors([this, in = from + bytesOfBits(begin * width_), size, step, to = out + begin] {
                std::uint16_t codes[kChunk];
                unpackBits(in, size, width_, codes);
                const int magnitude = width_ - 1, mask = (1 << magnitude) - 1;
                for (std::int64_t i = 0; i < size; ++i) {
                    // 0 or −1: x ^ −1 is −x − 1.
                    const int negative = -(codes[i] >> magnitude);
                    to[i] += step * static_cast<T>(((codes[i] & mask) ^ negative) - negative);
                }
            });
        }
    }

private:
    int levels_, width_;
};

}  // namespace dasgd
