// Parts that operators share: sizes, blocks, sums, and numbers of a few bits in a row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/compression/wide_vectors.h"

namespace dasgd {

// A scale, norm or place in a message.
inline constexpr std::int64_t kScaleBytes = 4, kPlaceBytes = 4;

[[nodiscard]] constexpr std::int64_t bytesOfBits(std::int64_t bits) { return (bits + 7) / 8; }

// k = max(1, ⌈ratio·elements⌉) of the ratio as it is written: that 0.07·100 is a little above 7 does not make it 8.
[[nodiscard]] inline std::int64_t countOf(double ratio, std::int64_t elements) {
    constexpr double kRounding = 4e-16;
    const double product = ratio * static_cast<double>(elements) * (1 - kRounding);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(product)));
}

// Bits of the numbers 0 to count − 1.
[[nodiscard]] constexpr int widthOf(std::int64_t count) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
}

// Calls f(begin, size) for the blocks of `elements` numbers, the last of which may be shorter. `block` 0: one block.
template <class F>
void forBlocks(std::int64_t elements, std::int64_t block, F&& f) {
    if (block == 0) block = elements;
    for (std::int64_t begin = 0; begin < elements; begin += block) f(begin, std::min(block, elements - begin));
}

// Sum of bytesOf(size) over these blocks.
template <class F>
[[nodiscard]] std::int64_t bytesOfBlocks(std::int64_t elements, std::int64_t block, F&& bytesOf) {
    if (block == 0 || block >= elements) return bytesOf(elements);
    const std::int64_t rest = elements % block;
    return elements / block * bytesOf(block) + (rest > 0 ? bytesOf(rest) : 0);
}

// Σ f(x) in double: eight sums of every eighth number, added up in order, so that the sum is the same everywhere and
// the compiler can make eight additions at once.
class EightSums {
public:
    // After a call whose `n` is no multiple of 8 there is no other.
    template <class T, class F>
    void add(const T* x, std::int64_t n, F&& f) {
        double sums[8];  // in registers
        std::copy_n(sums_, 8, sums);
        std::int64_t i = 0;
        for (; i + 8 <= n; i += 8) {
            for (int j = 0; j < 8; ++j) sums[j] += f(static_cast<double>(x[i + j]));
        }
        std::copy_n(sums, 8, sums_);
        for (int j = 0; i < n; ++i, ++j) sums_[j] += f(static_cast<double>(x[i]));
    }
    [[nodiscard]] double total() const {
        double sum = 0;
        for (const double part : sums_) sum += part;
        return sum;
    }

private:
    double sums_[8] = {};
};

template <class T, class F>
[[nodiscard]] double sumOf(const T* x, std::int64_t n, F&& f) {
    EightSums sums;
    sums.add(x, n, f);
    return sums.total();
}

// Bits of |x|, which are in the order of the numbers: infinity follows on all numbers, and NaN on infinity.
template <class T>
[[nodiscard]] constexpr auto magnitudeBits(T x) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    return static_cast<Bits>(std::bit_cast<Bits>(x) & std::numeric_limits<Bits>::max());
}

// condition ? a : b, which the compiler may turn into a branch again, and then makes no vector instructions of the
// loop.
template <class Bits>
[[nodiscard]] constexpr Bits selected(bool condition, Bits a, Bits b) {
    return b ^ ((a ^ b) & -static_cast<Bits>(condition));
}

// The largest of |x|; NaN if there is one.
template <class T>
[[nodiscard]] T largestOf(const T* x, std::int64_t n) {
    decltype(magnitudeBits(T{})) largest = 0;
    onWideVectors([&largest, x, n] {
        auto most = largest;
        for (std::int64_t i = 0; i < n; ++i) most = std::max(most, magnitudeBits(x[i]));
        largest = most;
    });
    return std::bit_cast<T>(largest);
}

// Numbers of `width` bits, 0 to 32 each, one after the other, from the lowest bit of the first byte on.
class BitWriter {
public:
    explicit BitWriter(std::byte* to) : to_(to) {}
    void put(std::uint32_t number, int width) {
        held_ |= std::uint64_t{number} << bits_;
        for (bits_ += width; bits_ >= 8; bits_ -= 8, held_ >>= 8) *to_++ = static_cast<std::byte>(held_);
    }
    // Called once, after the last number.
    void flush() {
        if (bits_ > 0) *to_ = static_cast<std::byte>(held_);
    }

private:
    std::byte* to_;
    std::uint64_t held_ = 0;
    int bits_ = 0;
};

class BitReader {
public:
    explicit BitReader(const std::byte* from) : from_(from) {}
    [[nodiscard]] std::uint32_t get(int width) {
        for (; bits_ < width; bits_ += 8) held_ |= std::uint64_t(*from_++) << bits_;
        const auto number = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << width) - 1));
        held_ >>= width;
        bits_ -= width;
        return number;
    }

private:
    const std::byte* from_;
    std::uint64_t held_ = 0;
    int bits_ = 0;
};

// Numbers that are coded at a time, while a cache holds them.
inline constexpr std::int64_t kChunk = 1024;

// The same for a row of numbers of 1 to 16 bits; the widths 4 and 8 are done many at a time.
inline void packBits(const std::uint16_t* numbers, std::int64_t n, int width, std::byte* to) {
    std::int64_t i = 0;
    if (width == 8) {
        for (; i < n; ++i) to[i] = static_cast<std::byte>(numbers[i]);
        return;
    }
    if (width == 4) {
        for (; i < n / 2; ++i) to[i] = static_cast<std::byte>(numbers[2 * i] | numbers[2 * i + 1] << 4);
        to += i;
        i *= 2;
    }
    BitWriter writer(to);
    for (; i < n; ++i) writer.put(numbers[i], width);
    writer.flush();
}

inline void unpackBits(const std::byte* from, std::int64_t n, int width, std::uint16_t* numbers) {
    std::int64_t i = 0;
    if (width == 8) {
        for (; i < n; ++i) numbers[i] = static_cast<std::uint16_t>(from[i]);
        return;
    }
    if (width == 4) {
        for (; i < n / 2; ++i) {
            numbers[2 * i] = static_cast<std::uint16_t>(from[i] & std::byte{15});
            numbers[2 * i + 1] = static_cast<std::uint16_t>(from[i] >> 4);
        }
        from += i;
        i *= 2;
    }
    BitReader reader(from);
    for (; i < n; ++i) numbers[i] = static_cast<std::uint16_t>(reader.get(width));
}

}  // namespace dasgd
