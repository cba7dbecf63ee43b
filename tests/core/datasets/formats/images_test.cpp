#include "core/datasets/formats/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/image_files.h"

namespace dasgd {
namespace {

using test::gradient;
using test::jpegOf;
using test::pngOf;
using testing::HasSubstr;

std::span<const unsigned char> bytesOf(const std::string& file) {
    return {reinterpret_cast<const unsigned char*>(file.data()), file.size()};
}

TEST(DecodeImage, PngIsExactInColoursAndInGrey) {
    const auto pixels = gradient(7, 5);
    const std::string file = pngOf(7, 5, pixels);
    const auto image = decodeImage(bytesOf(file), 3);
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->width, 7);
    EXPECT_EQ(image->height, 5);
    EXPECT_EQ(image->pixels, pixels);
    const auto grey = decodeImage(bytesOf(pngOf(7, 5, std::vector<std::uint8_t>(105, 77))), 1);
    ASSERT_TRUE(grey);
    EXPECT_EQ(grey->pixels.size(), 35U);
    for (const int pixel : grey->pixels) EXPECT_NEAR(pixel, 77, 1) << "a grey colour is itself";
}

TEST(DecodeImage, JpegIsNearAndCanBeReduced) {
    const std::string file = jpegOf(64, 48, gradient(64, 48));
    for (const int reduction : {1, 2, 4, 8}) {
        const auto image = decodeImage(bytesOf(file), 3, reduction);
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(image->width, 64 / reduction);
        EXPECT_EQ(image->height, 48 / reduction);
        const std::size_t last = image->pixels.size() - 3;
        EXPECT_LT(image->pixels[0], 30);
        EXPECT_GT(image->pixels[last], 225) << "red grows to the right";
        EXPECT_GT(image->pixels[last + 1], 220) << "and green downwards";
    }
}

TEST(InspectImage, KnowsTheSizeOfWhatIsWhole) {
    for (const std::string& file : {pngOf(9, 4, gradient(9, 4)), jpegOf(9, 4, gradient(9, 4))}) {
        const auto size = inspectImage(bytesOf(file));
        ASSERT_TRUE(size) << size.error().message;
        EXPECT_EQ(size->width, 9);
        EXPECT_EQ(size->height, 4);
        EXPECT_TRUE(inspectImage(bytesOf(file + "more"))) << "bytes behind the end do no harm";
    }
}

TEST(InspectImage, RefusesWhatIsCutOffAnywhere) {
    for (const std::string& file : {pngOf(40, 30, gradient(40, 30)), jpegOf(40, 30, gradient(40, 30))}) {
        for (std::size_t length = 0; length + 13 < file.size(); length += 7) {
            EXPECT_FALSE(inspectImage(bytesOf(file.substr(0, length)))) << length << " of " << file.size();
        }
    }
}

TEST(DecodeImage, SaysWhatIsWrong) {
    const std::string text = "this is no image, whatever its name says";
    const auto none = decodeImage(bytesOf(text), 3);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "it is neither JPEG nor PNG");
    std::string jpeg = jpegOf(40, 30, gradient(40, 30));
    const auto half = decodeImage(bytesOf(jpeg.substr(0, jpeg.size() / 2)), 3);
    ASSERT_FALSE(half);
    EXPECT_THAT(half.error().message, HasSubstr("it is damaged: "));
    std::string png = pngOf(40, 30, gradient(40, 30));
    png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 0x55);
    EXPECT_FALSE(decodeImage(bytesOf(png), 3)) << "its checksum is wrong";
}

// The header claims 2^30 pixels each way.
TEST(DecodeImage, AllocatesNothingForAnAbsurdSize) {
    std::string png = pngOf(1, 1, {1, 2, 3});
    png[16] = png[20] = 0x40;
    const auto refused = decodeImage(bytesOf(png), 3);
    EXPECT_FALSE(refused);
}

Image ramp(int width, int height) {
    return {.width = width, .height = height, .channels = 3, .pixels = gradient(width, height)};
}

TEST(Resample, TheWholeImageAtItsOwnSizeIsItself) {
    const Image image = ramp(6, 6);
    std::vector<std::uint8_t> out(3 * 36);
    resample(image, {0, 0, 6, 6}, 6, false, out.data());
    std::vector<std::uint8_t> mirrored(out.size());
    resample(image, {0, 0, 6, 6}, 6, true, mirrored.data());
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < 36; ++i) {
            EXPECT_NEAR(out[c * 36 + i], image.pixels[3 * i + c], 1);
            EXPECT_EQ(mirrored[c * 36 + i], out[c * 36 + i / 6 * 6 + 5 - i % 6]);
        }
    }
}

TEST(Resample, KeepsThePlaceOfEveryPartWhateverItsScale) {
    // Red is linear in x and green in y, so that a part's pixels are known.
    const Image image = ramp(256, 256);
    for (const Box& box : {Box{32, 64, 128, 128}, Box{10.5, 20.25, 40, 80}, Box{100, 100, 8, 8}}) {
        constexpr int kExtent = 16;
        std::vector<std::uint8_t> out(3 * kExtent * kExtent);
        resample(image, box, kExtent, false, out.data());
        // Not the edges, where pixels beyond the box are missing.
        for (int i = 3; i < kExtent - 3; ++i) {
            const auto at = [&](int channel, int y, int x) {
                return out[static_cast<std::size_t>((channel * kExtent + y) * kExtent + x)];
            };
            EXPECT_NEAR(at(0, 8, i), box.x + (i + 0.5) * box.width / kExtent - 0.5, 1.01);
            EXPECT_NEAR(at(1, i, 8), box.y + (i + 0.5) * box.height / kExtent - 0.5, 1.01);
        }
        EXPECT_EQ(out.back(), 128) << "a plane stays one";
    }
}

TEST(Resample, ReducingAveragesInsteadOfPickingPixels) {
    Image stripes{.width = 64, .height = 64, .channels = 1};
    for (int i = 0; i < 64 * 64; ++i) stripes.pixels.push_back(i % 2 == 0 ? 0 : 255);
    std::vector<std::uint8_t> out(64);
    resample(stripes, {0, 0, 64, 64}, 8, false, out.data());
    for (const int pixel : out) EXPECT_NEAR(pixel, 127.5, 5);
}

}  // namespace
}  // namespace dasgd
