#include "core/base/digest/crc32c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace dasgd {
namespace {

// RFC 3720, appendix B.4.
TEST(Crc32cTest, KnowsThePublishedValues) {
    std::array<std::uint64_t, 4> words{};
    EXPECT_EQ(crc32c(words), 0x8A9136AAU);
    words.fill(~std::uint64_t{0});
    EXPECT_EQ(crc32c(words), 0x62A8AB43U);
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    EXPECT_EQ(crc32c(words), 0x46DD794EU);
    EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32cTest, TableAndInstructionAgree) {
    std::mt19937_64 random(1);
    for (std::size_t length = 0; length < 20; ++length) {
        std::vector<std::uint64_t> words(length);
        for (auto& word : words) word = random();
        EXPECT_EQ(crc32c(words), crc32cByTable(words)) << length << " words";
    }
}

TEST(Crc32cTest, EveryFlippedBitChangesIt) {
    std::array<std::uint64_t, 8> words{1, 2, 3, 4, 5, 6, 7, 8};
    const std::uint32_t right = crc32c(words);
    for (int bit = 0; bit < 512; ++bit) {
        words[static_cast<std::size_t>(bit / 64)] ^= std::uint64_t{1} << (bit % 64);
        EXPECT_NE(crc32c(words), right) << bit;
        words[static_cast<std::size_t>(bit / 64)] ^= std::uint64_t{1} << (bit % 64);
    }
}

}  // namespace
}  // namespace dasgd
