#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

const CompressorTrial::Add kE3m0BlockTrial{
    {.compressor = "e3m0", .fields = {{"block", integer(5)}}, .what = "small_blocks"}};

// The nearest of 0 and ±largest·2^-j, j = 0 … 6.
double plainE3m0(double x, double largest) {
    double nearest = 0;
    for (int j = 0; j <= 6; ++j) {
        for (const double sign : {-1, 1}) {
            const double number = sign * std::ldexp(largest, -j);
            if (std::abs(number - x) < std::abs(nearest - x)) nearest = number;
        }
    }
    return nearest;
}

TEST(E3m0, TakesTheNearestOfItsNumbers) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        for (const std::int64_t block : {0, 9, 64}) {
            const auto made = compressorOf("e3m0", {{"block", integer(block)}});
            const at::Tensor x = randomVector(301, type), c = through(*made, x);
            const std::int64_t size = block == 0 ? 301 : block;
            for (std::int64_t i = 0; i < 301; ++i) {
                const std::int64_t begin = i / size * size, end = std::min<std::int64_t>(301, begin + size);
                const auto largest = static_cast<float>(x.slice(0, begin, end).abs().max().item<double>());
                EXPECT_EQ(numberAt(c, i), plainE3m0(numberAt(x, i), largest)) << i;
            }
        }
    }
}

TEST(E3m0, KeepsItsOwnNumbersAndRoundsMiddlesAwayFromZero) {
    const at::Tensor own = torch::tensor({8.0, -4.0, 2.0, -1.0, 0.5, -0.25, 0.125, 0.0}, at::kFloat);
    EXPECT_TRUE(through(*compressorOf("e3m0"), own).equal(own));
    const at::Tensor middles = torch::tensor({8.0, 6.0, -3.0, 0.1875, 0.0625, -0.0625, 0.062}, at::kFloat);
    const at::Tensor expected = torch::tensor({8.0, 8.0, -4.0, 0.25, 0.125, -0.125, 0.0}, at::kFloat);
    EXPECT_TRUE(through(*compressorOf("e3m0"), middles).equal(expected));
}

TEST(E3m0, TakesHalfAByteANumberAndAScaleABlock) {
    const auto made = compressorOf("e3m0", {{"block", integer(512)}}), whole = compressorOf("e3m0");
    for (const std::int64_t size : {4, 8}) {
        for (const std::int64_t n : {1, 7, 8, 9, 511, 512}) EXPECT_EQ(made->messageBytes(n, size), (n + 1) / 2 + 4);
        EXPECT_EQ(made->messageBytes(513, size), (256 + 4) + (1 + 4));
        EXPECT_EQ(whole->messageBytes(2049, size), (1024 + 4) + (1 + 4));
    }
}

// Between two of the numbers the error is a third of |x| at most, and below them 1/128 of the largest.
TEST(E3m0, Contracts) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        for (const at::Tensor& x : vectorsForBounds(700, type)) {
            const at::Tensor left = (x - through(*compressorOf("e3m0"), x)).abs();
            const at::Tensor bound = at::clamp_min(x.abs() / 3, x.abs().max().item<double>() / 128);
            EXPECT_TRUE((left <= bound * (1 + 1e-6)).all().item<bool>());
            EXPECT_LE(squareOf(left), squareOf(x));
        }
    }
}

}  // namespace
}  // namespace dasgd::test
