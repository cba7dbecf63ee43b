#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

const CompressorTrial::Add kQsgdLargestTrial{
    {.compressor = "qsgd", .fields = {{"levels", integer(127)}, {"norm", text("max")}}, .what = "max"}};
const CompressorTrial::Add kQsgdFineTrial{
    {.compressor = "qsgd", .fields = {{"levels", integer(32767)}, {"block", integer(0)}}, .what = "16_bits"}};
const CompressorTrial::Add kQsgdCoarseTrial{
    {.compressor = "qsgd",
     .fields = {{"levels", integer(1)}, {"block", integer(9)}, {"rounding", text("nearest")}},
     .what = "ternary"}};

struct QsgdCase {
    std::int64_t levels, block;
    bool isRoot, isDrawn;

    [[nodiscard]] Fields fields() const {
        return {{"levels", integer(levels)},
                {"block", integer(block)},
                {"norm", text(isRoot ? "l2" : "max")},
                {"rounding", text(isDrawn ? "stochastic" : "nearest")}};
    }
};

// norm·sign(x)·ℓ/s with ℓ = ⌊s·|x|/norm + u⌋, in the type of the vector.
template <class T>
at::Tensor plainQsgd(const at::Tensor& x, const QsgdCase& of, std::uint64_t seed) {
    at::Tensor out = at::zeros_like(x);
    Draws draws(seed);
    const std::int64_t n = x.numel(), block = of.block == 0 ? n : of.block;
    for (std::int64_t begin = 0; begin < n; begin += block) {
        const std::int64_t end = std::min(n, begin + block);
        double largest = 0, squares = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            largest = std::max(largest, std::abs(numberAt(x, i)));
            squares += numberAt(x, i) * numberAt(x, i);
        }
        const auto norm = static_cast<float>(of.isRoot ? std::sqrt(squares) : largest);
        const T unit = static_cast<T>(static_cast<double>(norm) / static_cast<double>(of.levels));
        for (std::int64_t i = begin; i < end; ++i) {
            const double u = of.isDrawn ? draws.next() : 0.5;
            const T units = static_cast<T>(std::abs(numberAt(x, i))) / unit;
            const double level = std::min(static_cast<double>(of.levels), std::floor(static_cast<double>(units) + u));
            setNumber(out, i, static_cast<T>(std::copysign(level, numberAt(x, i))) * unit);
        }
    }
    return out;
}

TEST(Qsgd, FollowsThePapersRule) {
    for (const std::int64_t levels : {1, 2, 7, 100, 32767}) {
        for (const std::int64_t block : {0, 6, 100}) {
            for (const bool isRoot : {false, true}) {
                for (const bool isDrawn : {false, true}) {
                    const QsgdCase of{levels, block, isRoot, isDrawn};
                    SCOPED_TRACE(table(of.fields()).toToml());
                    const auto made = compressorOf("qsgd", of.fields());
                    for (const std::int64_t n : {1, 230}) {
                        const at::Tensor x = randomVector(n, at::kDouble), single = x.to(at::kFloat);
                        EXPECT_TRUE(through(*made, x).equal(plainQsgd<double>(x, of, 1)));
                        EXPECT_TRUE(through(*made, single).equal(plainQsgd<float>(single, of, 1)));
                    }
                }
            }
        }
    }
}

TEST(Qsgd, TakesASignAndALevelANumberAndANormABlock) {
    const std::pair<std::int64_t, std::int64_t> widths[] = {{1, 2}, {2, 3}, {3, 3}, {7, 4}, {8, 5}, {32767, 16}};
    for (const auto& [levels, width] : widths) {
        const auto made = compressorOf("qsgd", {{"levels", integer(levels)}});
        const auto bytes = [width = width](std::int64_t n) { return (n * width + 7) / 8 + 4; };
        for (const std::int64_t size : {4, 8}) {
            for (const std::int64_t n : {1, 7, 8, 9, 511, 512}) EXPECT_EQ(made->messageBytes(n, size), bytes(n));
            EXPECT_EQ(made->messageBytes(513, size), bytes(512) + bytes(1));
            EXPECT_EQ(made->messageBytes(1200, size), 2 * bytes(512) + bytes(176));
        }
    }
}

// algorithms.md D3. Means of so many codings: each number's is a sum of independent two-valued numbers one unit apart,
// whose deviation is at most half a unit; six of them are allowed. Squares of errors add up over n numbers, where the
// bound is seldom reached.
TEST(Qsgd, IsUnbiasedAndItsErrorHasThePapersBound) {
    constexpr int kCodings = 2000;
    constexpr std::int64_t kNumbers = 64;
    for (const std::int64_t levels : {1, 4, 7}) {
        const auto made = compressorOf("qsgd", {{"levels", integer(levels)}, {"block", integer(0)}});
        const auto s = static_cast<double>(levels), n = static_cast<double>(kNumbers);
        for (const at::Tensor& x : vectorsForBounds(kNumbers, at::kDouble)) {
            at::Tensor sum = at::zeros_like(x);
            double error = 0;
            for (int i = 0; i < kCodings; ++i) {
                const at::Tensor c = through(*made, x, static_cast<std::uint64_t>(i));
                sum += c;
                error += squareOf(c - x) / kCodings;
            }
            const double unit = std::sqrt(squareOf(x)) / s;
            const double away = (sum / kCodings - x).abs().max().item<double>();
            EXPECT_LE(away, 6 * unit / 2 / std::sqrt(kCodings));
            EXPECT_LE(error, std::min(n / (s * s), std::sqrt(n) / s) * squareOf(x) * 1.01);
        }
    }
}

}  // namespace
}  // namespace dasgd::test
