#include "core/compression/bits.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <vector>

namespace dasgd::test {
namespace {

TEST(Bits, NumbersOfAnyWidthComeBack) {
    std::mt19937 engine(1);
    for (int width = 1; width <= 16; ++width) {
        for (const std::int64_t n : {1, 2, 7, 8, 9, 33}) {
            std::vector<std::uint16_t> numbers(static_cast<std::size_t>(n)), back(numbers.size());
            for (auto& number : numbers) number = static_cast<std::uint16_t>(engine() & ((1U << width) - 1));
            const auto size = static_cast<std::size_t>(bytesOfBits(n * width));
            std::vector<std::byte> packed(size + 1, std::byte{0xAB});
            packBits(numbers.data(), n, width, packed.data());
            EXPECT_EQ(packed.back(), std::byte{0xAB});
            unpackBits(packed.data(), n, width, back.data());
            EXPECT_EQ(back, numbers) << width << " bits";
            // Bit i of the row is bit i mod 8 of byte ⌊i/8⌋.
            for (std::int64_t i = 0; i < n * width; ++i) {
                const int bit = static_cast<int>(packed[static_cast<std::size_t>(i / 8)]) >> (i % 8) & 1;
                EXPECT_EQ(bit, numbers[static_cast<std::size_t>(i / width)] >> (i % width) & 1);
            }
        }
    }
}

TEST(Bits, WritersAndReadersTakeWidthsFrom0To32) {
    std::vector<std::byte> bytes(16);
    BitWriter writer(bytes.data());
    writer.put(5, 3);
    writer.put(0, 0);
    writer.put(0xFFFFFFFF, 32);
    writer.put(0x12345678, 32);
    writer.flush();
    BitReader reader(bytes.data());
    EXPECT_EQ(reader.get(3), 5U);
    EXPECT_EQ(reader.get(0), 0U);
    EXPECT_EQ(reader.get(32), 0xFFFFFFFFU);
    EXPECT_EQ(reader.get(32), 0x12345678U);
}

TEST(Bits, WidthHoldsTheLargestNumber) {
    EXPECT_EQ(widthOf(1), 0);
    EXPECT_EQ(widthOf(2), 1);
    EXPECT_EQ(widthOf(3), 2);
    EXPECT_EQ(widthOf(4096), 12);
    EXPECT_EQ(widthOf(4097), 13);
}

TEST(Bits, BlocksCoverAllNumbersAndTheLastIsShorter) {
    std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
    forBlocks(10, 4, [&](std::int64_t begin, std::int64_t n) { blocks.emplace_back(begin, n); });
    EXPECT_THAT(blocks, ::testing::ElementsAre(std::pair(0, 4), std::pair(4, 4), std::pair(8, 2)));
    const auto bytes = [](std::int64_t n) { return n + 100; };
    EXPECT_EQ(bytesOfBlocks(10, 4, bytes), 310);
    EXPECT_EQ(bytesOfBlocks(8, 4, bytes), 208);
    EXPECT_EQ(bytesOfBlocks(3, 4, bytes), 103);
    EXPECT_EQ(bytesOfBlocks(10, 0, bytes), 110) << "one block";
}

// 0.07·100 is 7.000000000000001 in binary.
TEST(Bits, AShareIsThatOfTheRatioAsItIsWritten) {
    for (const std::int64_t thousandths : {1, 7, 10, 29, 70, 100, 333, 570, 999, 1000}) {
        for (std::int64_t n = 1; n < 3000; ++n) {
            const std::int64_t exact = (thousandths * n + 999) / 1000;
            ASSERT_EQ(countOf(static_cast<double>(thousandths) / 1000, n), exact) << thousandths << " " << n;
        }
    }
    EXPECT_EQ(countOf(1e-9, 5), 1);
    EXPECT_EQ(countOf(1, 25'000'000), 25'000'000);
}

TEST(Bits, TheLargestMagnitudeIsNaNWhereThereIsOne) {
    std::vector<float> x(100, 0.5F);
    x[70] = -3;
    EXPECT_EQ(largestOf(x.data(), 100), 3);
    EXPECT_EQ(largestOf(x.data(), 70), 0.5F);
    x[3] = HUGE_VALF;
    EXPECT_EQ(largestOf(x.data(), 100), HUGE_VALF);
    x[99] = -std::nanf("");
    EXPECT_TRUE(std::isnan(largestOf(x.data(), 100)));
}

}  // namespace
}  // namespace dasgd::test
