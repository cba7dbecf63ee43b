// Floating-point numbers of 4 bits, three of them an exponent and none a mantissa: ±m·2^-j with j = 0 … 6 and m the
// largest |x| of a block, or 0; the nearest of them. Streaming DiLoCo (arXiv 2501.18512) sends outer gradients so.
//
// A block that holds NaN or infinity arrives as NaN.
#include <cmath>
#include <cstring>

#include "core/compression/compressor.h"
#include "core/compression/operators/levels.h"

namespace dasgd {
namespace {

constexpr int kE3m0Width = 4, kE3m0Exponents = 7;

struct E3m0Params {
    std::int64_t block = 2048;
    void visit(auto&& f) {
        f(block, "block",
          {.min = 0,
           .max = 1e9,
           .unit = "elements",
           .help = "Numbers that share a scale; 0: all of the compression's scope"});
    }
};

// 0, or 7 − j: how many of the bounds between the numbers |x| reaches. One between two numbers is their mean.
template <class T>
std::uint16_t e3m0Code(T x, const T (&bounds)[kE3m0Exponents]) {
    int code = 0;
    for (const T bound : bounds) code += std::abs(x) >= bound ? 1 : 0;
    return static_cast<std::uint16_t>(code | (x < 0 ? kE3m0Exponents + 1 : 0));
}

template <class T>
void encodeE3m0(const T* x, std::int64_t n, T largest, std::byte* to) {
    // None is 0, so that 0 reaches none.
    T bounds[kE3m0Exponents] = {std::max(std::ldexp(largest, -kE3m0Exponents), std::numeric_limits<T>::denorm_min())};
    for (int i = 1; i < kE3m0Exponents; ++i) {
        bounds[i] = std::max(std::ldexp(largest, i - kE3m0Exponents) * T{1.5}, std::numeric_limits<T>::denorm_min());
    }
    for (std::int64_t begin = 0; begin < n; begin += kChunk) {
        onWideVectors([from = x + begin, size = std::min(kChunk, n - begin), &bounds, into = to + begin / 2] {
            std::uint16_t codes[kChunk];
            for (std::int64_t i = 0; i < size; ++i) codes[i] = e3m0Code(from[i], bounds);
            packBits(codes, size, kE3m0Width, into);
        });
    }
}

template <class T>
void decodeE3m0(const std::byte* from, std::int64_t n, double step, T* out) {
    T numbers[16] = {};
    for (int code = 1; code <= kE3m0Exponents; ++code) {
        numbers[code] = static_cast<T>(std::ldexp(step, code - kE3m0Exponents));
        numbers[code + kE3m0Exponents + 1] = -numbers[code];
    }
    // Zeros are NaN in a block of which there is no scale.
    numbers[0] = numbers[kE3m0Exponents + 1] = static_cast<T>(0 * step);
    for (std::int64_t i = 0; i + 1 < n; i += 2) {
        out[i] += numbers[static_cast<int>(from[i / 2]) & 15];
        out[i + 1] += numbers[static_cast<int>(from[i / 2]) >> 4];
    }
    if (n % 2 != 0) out[n - 1] += numbers[static_cast<int>(from[n / 2]) & 15];
}

class E3m0 final : public MessageCompressor {
public:
    explicit E3m0(const E3m0Params& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override {
        // A block of moderate size is read once and then held by a cache.
        return {.encodePasses = 3.2, .decodePasses = 2.6};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t) const override {
        return bytesOfBlocks(elements, params_.block, blockBytes);
    }
    void encode(const at::Tensor& x, std::byte* message, Draws&) const override {
        withNumbers(x, [&]<class T>(const T* from) {
            forBlocks(x.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                const auto scale = static_cast<float>(largestOf(from + begin, n));
                std::memcpy(message, &scale, kScaleBytes);
                std::byte* const codes = message + kScaleBytes;
                if (scale > 0 && std::isfinite(scale)) {
                    encodeE3m0(from + begin, n, static_cast<T>(scale), codes);
                } else {
                    std::fill_n(codes, blockBytes(n) - kScaleBytes, std::byte{0});
                }
                message += blockBytes(n);
            });
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        withNumbers(out, [&](auto* to) {
            forBlocks(out.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                float largest = 0;
                std::memcpy(&largest, message, kScaleBytes);
                decodeE3m0(message + kScaleBytes, n, scale * largest, to + begin);
                message += blockBytes(n);
            });
        });
    }

private:
    [[nodiscard]] static std::int64_t blockBytes(std::int64_t n) { return bytesOfBits(n * kE3m0Width) + kScaleBytes; }

    E3m0Params params_;
};

const CompressorRegistry::Add<E3m0, E3m0Params> kE3m0Entry{
    "e3m0", "Floating-point numbers of 4 bits and a scale a block", "arXiv 2501.18512"};

}  // namespace
}  // namespace dasgd
