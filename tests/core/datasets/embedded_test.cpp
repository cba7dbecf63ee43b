#include "core/datasets/embedded.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace dasgd {
namespace {

// gzip (RFC 1952) ends with the length of what it holds, little-endian.
std::uint32_t unpackedLength(std::span<const unsigned char> file) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length |= static_cast<std::uint32_t>(file[file.size() - 4 + i]) << (8 * i);
    return length;
}

void expectGzipOf(std::span<const unsigned char> file, std::uint32_t length) {
    ASSERT_GT(file.size(), 18U);
    EXPECT_EQ(file[0], 0x1f);
    EXPECT_EQ(file[1], 0x8b);
    EXPECT_EQ(unpackedLength(file), length);
}

TEST(EmbeddedDigits, AreTheFilesFromTheirFirstByteToTheirLast) {
    const EmbeddedDigits digits = embeddedDigits();
    constexpr std::uint32_t kImageHeader = 16, kLabelHeader = 8, kPixels = 28 * 28;
    expectGzipOf(digits.trainImages, kImageHeader + 4000 * kPixels);
    expectGzipOf(digits.trainLabels, kLabelHeader + 4000);
    expectGzipOf(digits.testImages, kImageHeader + 1000 * kPixels);
    expectGzipOf(digits.testLabels, kLabelHeader + 1000);
}

TEST(EmbeddedProse, IsTheWholeFile) { expectGzipOf(embeddedProse(), 1'199'927); }

}  // namespace
}  // namespace dasgd
