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
                   "partners are more than (levels - 1)/4 of it apart"});
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
        const double message = width_ / 32.0;
        return {.forPairs = true, .encodePasses = 1 + message, .decodePasses = 2 + message};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements) const override {
        return bytesOfBits(elements * width_);
    }
    [[nodiscard]] bool encode(const at::Tensor& x, std::byte* message) const override {
        bool canAll = true;
        withNumbers(x, [&]<class T>(const T* from) {
            forBlocks(x.numel(), kChunk, [&](std::int64_t begin, std::int64_t n) {
                std::byte* const into = message + bytesOfBits(begin * width_);
                onWideVectors(
                    [can = &canAll, from = from + begin, n, levels = levels_, side = side_, width = width_, into] {
                        std::uint16_t codes[kChunk];
                        int without = 0;
                        for (std::int64_t i = 0; i < n; ++i) {
                            const double point = std::rint(static_cast<double>(from[i]) / side);
                            const bool isNumbered = std::abs(point) <= kMostPoints;  // false for NaN
                            without |= isNumbered ? 0 : 1;
                            const double numbered = isNumbered ? point : 0;
                            codes[i] = static_cast<std::uint16_t>(
                                static_cast<int>(numbered - levels * std::floor(numbered / levels)));
                        }
                        packBits(codes, n, width, into);
                        if (without != 0) *can = false;
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
                               side = side_, step = weight * side_, width = width_, in] {
                    std::uint16_t codes[kChunk];
                    double units[kChunk];  // own may be what is changed
                    unpackBits(in, n, width, codes);
                    for (std::int64_t i = 0; i < n; ++i) units[i] = static_cast<double>(own[i]) / side;
                    double most = 0;
                    for (std::int64_t i = 0; i < n; ++i) {
                        const double code = codes[i];
                        const double point = code + levels * std::rint((units[i] - code) / levels);
                        // Whole numbers, so that both ranks of a pair move by one and the same number.
                        to[i] += static_cast<T>(step * (point - std::rint(units[i])));
                        most = std::max(most, std::abs(point - units[i]));
                    }
                    *furthest = std::max(*furthest, side * most);
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
