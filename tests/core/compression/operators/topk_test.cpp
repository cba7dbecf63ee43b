#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/compression/bits.h"
#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

const CompressorTrial::Add kTopkBlockTrial{
    {.compressor = "topk",
     .fields = {{"ratio", number(64.0 / 4096)}, {"block", integer(4096)}, {"value_bits", integer(2)}},
     .what = "sparse_loco"}};
const CompressorTrial::Add kTopkSmallBlockTrial{
    {.compressor = "topk", .fields = {{"ratio", number(0.3)}, {"block", integer(13)}}, .what = "small_blocks"}};
const CompressorTrial::Add kTopkFewBitsTrial{
    {.compressor = "topk", .fields = {{"ratio", number(0.5)}, {"value_bits", integer(16)}}, .what = "16_bits"}};

// A sort by magnitude that leaves equal ones in their order. NaN is the largest.
at::Tensor plainTopk(const at::Tensor& x, double ratio, std::int64_t block) {
    at::Tensor out = at::zeros_like(x);
    const std::int64_t n = x.numel();
    for (std::int64_t begin = 0; begin < n; begin += block) {
        std::vector<std::int64_t> places(static_cast<std::size_t>(std::min(block, n - begin)));
        std::iota(places.begin(), places.end(), begin);
        const auto sizeAt = [&x](std::int64_t i) { return std::abs(numberAt(x, i)); };
        std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) { return sizeAt(a) > sizeAt(b); });
        const auto k = std::max<std::int64_t>(1, std::llround(std::ceil(ratio * static_cast<double>(places.size()))));
        places.resize(static_cast<std::size_t>(k));
        for (const std::int64_t place : places) setNumber(out, place, numberAt(x, place));
    }
    return out;
}

TEST(Topk, SendsTheLargestAndOfEqualOnesTheFirst) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        // The second has five magnitudes, the third one, and the fourth differs in the last bits alone.
        const at::Tensor random = randomVector(701, type);
        const at::Tensor close = 1 + (random * 1e3).round() * (type == at::kFloat ? 1.2e-7 : 2.3e-16);
        for (const at::Tensor& x : {random, (random * 100).round(), at::full({701}, -0.5, type), close}) {
            for (const double ratio : {0.001, 0.0625, 0.25, 0.75, 1.0}) {
                for (const std::int64_t block : {0, 64, 100, 701}) {
                    SCOPED_TRACE(std::to_string(ratio) + " of blocks of " + std::to_string(block));
                    const auto made = compressorOf("topk", {{"ratio", number(ratio)}, {"block", integer(block)}});
                    EXPECT_TRUE(through(*made, x).equal(plainTopk(x, ratio, block == 0 ? 701 : block)));
                }
            }
        }
    }
}

TEST(Topk, SendsNaNBeforeAllOthers) {
    at::Tensor x = randomVector(100, at::kFloat);
    x[40] = std::nan("");
    x[70] = HUGE_VAL;
    const at::Tensor c = through(*compressorOf("topk", {{"ratio", number(0.02)}}), x);
    EXPECT_TRUE(std::isnan(numberAt(c, 40)));
    EXPECT_EQ(numberAt(c, 70), HUGE_VAL);
    EXPECT_EQ(c.count_nonzero().item<std::int64_t>(), 2);
}

TEST(Topk, OfAllNumbersIsTheVector) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        const at::Tensor x = randomVector(513, type);
        EXPECT_TRUE(through(*compressorOf("topk", {{"ratio", number(1)}}), x).equal(x));
        EXPECT_TRUE(through(*compressorOf("topk", {{"ratio", number(1)}, {"block", integer(1)}}), x).equal(x));
    }
}

TEST(Topk, RoundsValuesAsIntDoes) {
    const at::Tensor x = randomVector(513, at::kFloat), whole = plainTopk(x, 0.25, 513);
    for (const std::int64_t bits : {2, 8, 16}) {
        const auto made = compressorOf("topk", {{"ratio", number(0.25)}, {"value_bits", integer(bits)}});
        const double unit = x.abs().max().item<double>() / static_cast<double>((1 << (bits - 1)) - 1);
        const at::Tensor c = through(*made, x).to(at::kDouble);
        EXPECT_LE((c - whole).abs().max().item<double>(), unit / 2 * (1 + 1e-6));
        EXPECT_TRUE(((c / unit).round() * unit).allclose(c, 1e-5, 1e-9)) << "multiples of one unit";
    }
}

TEST(Topk, TakesAValueAndAPlaceEach) {
    for (const std::int64_t size : {4, 8}) {
        for (const std::int64_t n : {1, 7, 8, 9, 511, 512, 513}) {
            const std::int64_t k = std::max<std::int64_t>(1, (n + 9) / 10);
            const auto whole = compressorOf("topk", {{"ratio", number(0.1)}});
            EXPECT_EQ(whole->messageBytes(n, size), k * (size + 4));
            const auto few = compressorOf("topk", {{"ratio", number(0.1)}, {"value_bits", integer(3)}});
            EXPECT_EQ(few->messageBytes(n, size), (3 * k + 7) / 8 + 4 + 4 * k);
        }
        // Blocks of 4096 have places of 12 bits, a short one too.
        const auto loco = compressorOf(
            "topk", {{"ratio", number(64.0 / 4096)}, {"block", integer(4096)}, {"value_bits", integer(2)}});
        EXPECT_EQ(loco->messageBytes(2 * 4096 + 65, size), 2 * (96 + 16 + 4) + (3 + 1 + 4));
        const auto whole = compressorOf("topk", {{"ratio", number(64.0 / 4096)}, {"block", integer(4096)}});
        EXPECT_EQ(whole->messageBytes(4096 + 65, size), (96 + 64 * size) + (3 + 2 * size));
    }
}

// algorithms.md D3.
TEST(Topk, ContractsByTheShareThatItSends) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        for (const double ratio : {0.01, 0.3}) {
            const auto made = compressorOf("topk", {{"ratio", number(ratio)}});
            for (const at::Tensor& x : vectorsForBounds(700, type)) {
                const double sent = static_cast<double>(countOf(ratio, 700)) / 700;
                EXPECT_LE(squareOf(x - through(*made, x)), (1 - sent) * squareOf(x) * (1 + 1e-12));
            }
        }
    }
}

TEST(Topk, OneBitAValueIsRefused) {
    const auto made = CompressorRegistry::find("topk")->create(table({{"value_bits", integer(1)}}), {});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, ::testing::HasSubstr("set 0 for whole values, or 2 to 16"));
}

}  // namespace
}  // namespace dasgd::test
