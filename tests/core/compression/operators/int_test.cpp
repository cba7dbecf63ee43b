#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "core/compression/operators/levels.h"
#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

const CompressorTrial::Add kInt3Trial{{.compressor = "int", .fields = {{"bits", integer(3)}}, .what = "3_bits"}};
const CompressorTrial::Add kInt2Trial{
    {.compressor = "int", .fields = {{"bits", integer(2)}, {"block", integer(0)}}, .what = "2_bits"}};
const CompressorTrial::Add kIntDrawnTrial{
    {.compressor = "int",
     .fields = {{"bits", integer(4)}, {"block", integer(7)}, {"rounding", text("stochastic")}},
     .what = "drawn"}};

// The rule in plain steps; `T` is the type of the vector.
template <class T>
at::Tensor plainInt(const at::Tensor& x, int bits, std::int64_t block, bool isDrawn) {
    at::Tensor out = at::zeros_like(x);
    Draws draws(1);
    const std::int64_t n = x.numel();
    const int levels = (1 << (bits - 1)) - 1;
    if (block == 0) block = n;
    for (std::int64_t begin = 0; begin < n; begin += block) {
        const std::int64_t end = std::min(n, begin + block);
        double largest = 0;
        for (std::int64_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(numberAt(x, i)));
        const auto scale = static_cast<float>(largest / levels);
        for (std::int64_t i = begin; i < end; ++i) {
            const double u = isDrawn ? draws.next() : 0.5;
            const T units = static_cast<T>(std::abs(numberAt(x, i))) / static_cast<T>(scale);
            const double level = std::min<double>(levels, std::floor(static_cast<double>(units) + u));
            setNumber(out, i, static_cast<T>(std::copysign(level, numberAt(x, i))) * static_cast<T>(scale));
        }
    }
    return out;
}

TEST(Int, RoundsToWholeMultiplesOfABlocksScale) {
    for (const bool isDrawn : {false, true}) {
        for (const std::int64_t bits : {2, 3, 4, 5, 7, 8}) {
            for (const std::int64_t block : {0, 5, 100}) {
                const auto made = compressorOf("int", {{"bits", integer(bits)},
                                                       {"block", integer(block)},
                                                       {"rounding", text(isDrawn ? "stochastic" : "nearest")}});
                for (const std::int64_t n : {1, 9, 230}) {
                    SCOPED_TRACE(std::to_string(bits) + " bits, blocks of " + std::to_string(block));
                    const at::Tensor x = randomVector(n, at::kDouble), single = x.to(at::kFloat);
                    const int width = static_cast<int>(bits);
                    EXPECT_TRUE(through(*made, x).equal(plainInt<double>(x, width, block, isDrawn)));
                    EXPECT_TRUE(through(*made, single).equal(plainInt<float>(single, width, block, isDrawn)));
                }
            }
        }
    }
}

TEST(Int, TakesBitsANumberAndAScaleABlock) {
    for (const std::int64_t bits : {2, 3, 8}) {
        const auto made = compressorOf("int", {{"bits", integer(bits)}, {"block", integer(512)}});
        const auto bytes = [bits](std::int64_t n) { return (n * bits + 7) / 8 + 4; };
        for (const std::int64_t size : {4, 8}) {
            for (const std::int64_t n : {1, 7, 8, 9, 511, 512}) EXPECT_EQ(made->messageBytes(n, size), bytes(n));
            EXPECT_EQ(made->messageBytes(513, size), bytes(512) + bytes(1));
            EXPECT_EQ(made->messageBytes(1537, size), 3 * bytes(512) + bytes(1));
        }
    }
}

// A number is at most half a unit away from its multiple, and none further than 0 is.
TEST(Int, ContractsWhereItRoundsToTheNearest) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        for (const std::int64_t bits : {2, 4, 8}) {
            const auto made = compressorOf("int", {{"bits", integer(bits)}, {"block", integer(0)}});
            for (const at::Tensor& x : vectorsForBounds(700, type)) {
                const double left = squareOf(x - through(*made, x));
                const double unit = x.abs().max().item<double>() / ((1 << (bits - 1)) - 1);
                EXPECT_LE(left, 700 * unit * unit / 4 * (1 + 1e-6));
                EXPECT_LE(left, squareOf(x));
            }
        }
    }
}

// Draws of i/64 for i = 0 … 63 stand for all of [0, 1) where y is a number of 64ths.
TEST(Levels, AreUnbiasedOverAllDraws) {
    for (int y = 0; y <= 64 * 7; ++y) {
        int sum = 0;
        for (int i = 0; i < 64; ++i) sum += levelOf(y / 64.0, i / 64.0, 7);
        EXPECT_EQ(sum, y);
    }
    EXPECT_EQ(levelOf(7.4, 0.9, 7), 7) << "rounding of the unit takes no number above the highest level";
}

TEST(Levels, TakeASignAndTheBitsOfTheHighest) {
    const std::pair<int, int> widths[] = {{1, 2}, {2, 3}, {3, 3}, {4, 4}, {7, 4}, {8, 5}, {127, 8}, {32767, 16}};
    for (const auto& [levels, width] : widths) EXPECT_EQ(LevelCode(levels).width(), width) << levels;
}

}  // namespace
}  // namespace dasgd::test
