// Floating-point numbers of 16 bits, with which a vector is cast.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/compression/bits.h"
#include "core/compression/compressor.h"

namespace dasgd {

// IEEE 754 binary16.
struct Half {
    static constexpr int kExponentBits = 5, kMantissaBits = 10;
    [[nodiscard]] static float widen(std::uint16_t number) {
        constexpr std::int32_t kInfinity = 0x7c00, kSmallestNormal = 0x400, kBiases = (127 - 15) << 23;
        const std::int32_t magnitude = number & 0x7fff;
        const std::int32_t normal = (magnitude << 13) + kBiases + selected(magnitude >= kInfinity, kBiases, 0);
        const auto subnormal = std::bit_cast<std::int32_t>(static_cast<float>(magnitude) * 0x1p-24F);
        const std::int32_t sign = static_cast<std::int32_t>(static_cast<std::uint32_t>(number & 0x8000) << 16);
        return std::bit_cast<float>(selected(magnitude < kSmallestNormal, subnormal, normal) | sign);
    }
};

// The upper half of IEEE 754 binary32.
struct BFloat16 {
    static constexpr int kExponentBits = 8, kMantissaBits = 7;
    [[nodiscard]] static float widen(std::uint16_t number) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(number) << 16);
    }
};

// `x` as rounded once to the nearest number of the format, ties to even; infinity from half a step above its largest
// on; NaN as a quiet NaN. Without branches, for loops of vector instructions.
template <class Format, class T>
[[nodiscard]] std::uint16_t narrowed(T x) {
    using Bits = decltype(magnitudeBits(x));
    constexpr int kMantissa = std::numeric_limits<T>::digits - 1, kShift = kMantissa - Format::kMantissaBits;
    constexpr Bits kBias = std::numeric_limits<T>::max_exponent - 1;
    constexpr Bits kFormatBias = (Bits{1} << (Format::kExponentBits - 1)) - 1, kBiases = kBias - kFormatBias;
    constexpr Bits kInfinity = ((Bits{1} << Format::kExponentBits) - 1) << Format::kMantissaBits;
    constexpr Bits kQuietNaN = kInfinity | (Bits{1} << (Format::kMantissaBits - 1));
    constexpr Bits kSmallestNormal = (kBiases + 1) << kMantissa;
    constexpr Bits kOverflow = (kBias + kFormatBias + 1) << kMantissa;
    // The unit in the last place of this power of two is the format's smallest number, so that adding it rounds.
    constexpr Bits kRounder = (kBiases + 1 + kShift) << kMantissa;

    const Bits magnitude = magnitudeBits(x);
    const Bits half = (Bits{1} << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1);
    // A sum with the bits of NaN could overflow.
    const Bits normal = (std::min(magnitude, kOverflow) - (kBiases << kMantissa) + half) >> kShift;
    const Bits subnormal = std::bit_cast<Bits>(std::bit_cast<T>(magnitude) + std::bit_cast<T>(kRounder)) - kRounder;
    Bits number = selected(magnitude < kSmallestNormal, subnormal, normal);
    number = selected(magnitude >= kOverflow, kInfinity, number);
    number = selected(magnitude > magnitudeBits(std::numeric_limits<T>::infinity()), kQuietNaN, number);
    return static_cast<std::uint16_t>(number | ((std::bit_cast<Bits>(x) >> (8 * sizeof(T) - 16)) & 0x8000));
}

template <class Format>
class Cast final : public MessageCompressor {
public:
    explicit Cast(const NoParams&) {}
    [[nodiscard]] Properties properties() const override { return {.encodePasses = 1.5, .decodePasses = 2.5}; }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t) const override { return 2 * elements; }
    void encode(const at::Tensor& x, std::byte* message, Draws&) const override {
        withNumbers(x, [&](const auto* from) {
            onWideVectors([from, message, n = x.numel()] {
                for (std::int64_t i = 0; i < n; ++i) {
                    const std::uint16_t number = narrowed<Format>(from[i]);
                    std::memcpy(message + 2 * i, &number, 2);
                }
            });
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        withNumbers(out, [&]<class T>(T* to) {
            onWideVectors([to, message, n = out.numel(), factor = static_cast<T>(scale)] {
                for (std::int64_t i = 0; i < n; ++i) {
                    std::uint16_t number = 0;
                    std::memcpy(&number, message + 2 * i, 2);
                    to[i] += factor * static_cast<T>(Format::widen(number));
                }
            });
        });
    }
};

}  // namespace dasgd
