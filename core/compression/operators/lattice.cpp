// Lattice coding for pairs of ranks (SwarmSGD: Nadiradze et al., NeurIPS 2021, arXiv 1910.12308): a number x is taken
// as the nearest point of a lattice of side s, of whose number ⌈log₂q⌉ bits are sent, and the receiver takes the point
// with these bits that is nearest to its own number:
//
//   c = round(x/s) mod q    C(x) = s·c + q·s·round(near/(q·s) − c/q)
//
// |C(x) − x| <= s/2 where |x − near| < (q−1)·s/2. Two numbers further apart come out as others, and nothing tells: what
// is decoded is never further than q·s/2 from near. The reach is half of that distance, (q−1)·s/4, so that ranks which
// drift apart are seen before their numbers are taken for others.
//
// Checked against a program of others (SimpleLatticeEncoder and SimpleLatticeDecoder in an implementation of SwarmSGD
// with epfml's code). Ties go to the even point.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/compression/bits.h"
#include "core/compression/compressor.h"

namespace dasgd {
namespace {

struct LatticeParams {
    std::int64_t levels = 256;
    double side = 0.01;
    void visit(auto&& f) {
        f(levels, "levels",
          {.min = 4, .max = 65536, .symbol = "q", .help = "Points that a message tells apart; a power of 2"});
        f(side, "side",
          {.min = 0,
           .max = 1e30,
           .minOpen = true,
           .symbol = "s",
           .help = "Distance of two points. Weights arrive with an error of up to half of it; the run fails where two "
                   "partners are found more than (levels - 1)/4 of it apart. Partners that come more than levels/2 of "
                   "it apart between two exchanges may be taken for near, so choose it so that they never do"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        const auto q = static_cast<std::uint64_t>(levels);
        if (std::has_single_bit(q)) return std::nullopt;
        return FieldError{"levels", "levels is " + std::to_string(levels) + ", which is no power of 2: choose " +
                                        std::to_string(std::bit_floor(q)) + " or " + std::to_string(std::bit_ceil(q))};
    }
};

class Lattice final : public PairCompressor {
public:
    explicit Lattice(const LatticeParams& params)
        : levels_(static_cast<double>(params.levels)), side_(params.side), width_(widthOf(params.levels)) {}

    [[nodiscard]] Properties properties() const override {
        // By compression_bench, with codes of 8 bits; a division a number takes most of it.
        const double unpacked = width_ == 4 || width_ == 8 ? 0 : 4;
        return {.forPairs = true, .encodePasses = 6.5 + unpacked, .decodePasses = 7 + unpacked};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements) const override {
        return bytesOfBits(elements * width_);
    }
    [[nodiscard]] bool encode(const at::Tensor& x, std::byte* message) const override {
        bool canAll = true;
        withNumbers(x, [&]<class T>(const T* from) {
            forBlocks(x.numel(), kChunk, [&](std::int64_t begin, std::int64_t n) {
                std::byte* const into = message + bytesOfBits(begin * width_);
                onWideVectors([can = &canAll, from = from + begin, n, levels = levels_, perLevel = 1 / levels_,
                               side = side_, width = width_, into] {
                    // Loops of one kind of number each, which the compiler turns into vector instructions.
                    double points[kChunk];
                    std::int32_t numbers[kChunk];
                    std::uint16_t codes[kChunk];
                    for (std::int64_t i = 0; i < n; ++i) points[i] = std::rint(static_cast<double>(from[i]) / side);
                    std::int64_t without = 0;
                    for (std::int64_t i = 0; i < n; ++i) {
                        without += std::abs(points[i]) <= kMostPoints ? 0 : 1;  // 1 for NaN
                    }
                    if (without != 0) {
                        *can = false;
                        std::fill_n(points, n, 0.0);
                    }
                    for (std::int64_t i = 0; i < n; ++i) {
                        numbers[i] = static_cast<std::int32_t>(points[i] - levels * std::floor(points[i] * perLevel));
                    }
                    for (std::int64_t i = 0; i < n; ++i) codes[i] = static_cast<std::uint16_t>(numbers[i]);
                    packBits(codes, n, width, into);
                });
            });
        });
        return canAll;
    }
    double approach(const std::byte* message, const at::Tensor& near, double weight, at::Tensor out) const override {
        double distance = 0;
        withNumbers(near, [&]<class T>(const T* own) {
            T* const to = out.data_ptr<T>();
            forBlocks(near.numel(), kChunk, [&](std::int64_t begin, std::int64_t n) {
                const std::byte* const in = message + bytesOfBits(begin * width_);
                onWideVectors([furthest = &distance, own = own + begin, to = to + begin, n, levels = levels_,
                               perLevel = 1 / levels_, side = side_, step = weight * side_, width = width_, in] {
                    std::uint16_t codes[kChunk];
                    std::int32_t numbers[kChunk];
                    double units[kChunk], points[kChunk], moves[kChunk];  // own may be what is changed
                    unpackBits(in, n, width, codes);
                    for (std::int64_t i = 0; i < n; ++i) numbers[i] = codes[i];
                    for (std::int64_t i = 0; i < n; ++i) units[i] = static_cast<double>(own[i]) / side;
                    for (std::int64_t i = 0; i < n; ++i) {
                        const double code = numbers[i];
                        points[i] = code + levels * std::rint((units[i] - code) * perLevel);
                    }
                    // Whole numbers, so that both ranks of a pair move by one and the same number.
                    for (std::int64_t i = 0; i < n; ++i) moves[i] = step * (points[i] - std::rint(units[i]));
                    for (std::int64_t i = 0; i < n; ++i) to[i] += static_cast<T>(moves[i]);
                    std::int64_t most = 0;
                    for (std::int64_t i = 0; i < n; ++i) most = std::max(most, magnitudeBits(points[i] - units[i]));
                    *furthest = std::max(*furthest, side * std::bit_cast<double>(most));
                });
            });
        });
        return distance;
    }
    [[nodiscard]] double reach() const override { return (levels_ - 1) / 4 * side_; }

private:
    static constexpr double kMostPoints = 0x1p51;  // so many are told apart in double

    double levels_, side_;
    int width_;
};

const CompressorRegistry::Add<Lattice, LatticeParams> kLatticeEntry{
    "lattice", "The lowest bits of rounded weights, which a partner with nearly the same ones completes",
    "arXiv 1910.12308"};

}  // namespace
}  // namespace dasgd
