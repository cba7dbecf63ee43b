#include "core/datasets/formats/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/image_files.h"
#include "tests/support/paths.h"

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

std::string fromHex(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

// Images of all kinds of PNG (colour types, depths, interlacing, gamma, transparency) and of JPEG, with the pixels that
// PIL gives.
TEST(DecodeImage, PixelsAreThoseOfPil) {
    std::ifstream in(std::string(test::kSourceDir) + "/tests/golden/pil_images.txt");
    int files = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::string name, file, colours, grey;
        int width = 0, height = 0;
        ASSERT_TRUE(words >> name >> file >> width >> height >> colours >> grey) << line;
        const std::string bytes = fromHex(file);
        const auto size = inspectImage(bytesOf(bytes));
        ASSERT_TRUE(size) << name << ": " << size.error().message;
        for (const auto& [channels, right] : {std::pair(3, fromHex(colours)), std::pair(1, fromHex(grey))}) {
            const auto image = decodeImage(bytesOf(bytes), channels);
            ASSERT_TRUE(image) << name << ": " << image.error().message;
            EXPECT_EQ(image->width, width) << name;
            EXPECT_EQ(image->height, height) << name;
            EXPECT_EQ(std::string(image->pixels.begin(), image->pixels.end()), right) << name << ", " << channels;
        }
        ++files;
    }
    EXPECT_EQ(files, 30);
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

TEST(InspectImage, ComparesTheChecksumsOfPng) {
    const std::string whole = pngOf(40, 30, gradient(40, 30));
    constexpr std::size_t kHeaderEnd = 8 + 25, kEndChunk = 12;
    for (std::size_t at = whole.find("IDAT"); at < whole.size() - kEndChunk; ++at) {
        std::string file = whole;
        file[at] = static_cast<char>(file[at] ^ 0x10);
        EXPECT_FALSE(inspectImage(bytesOf(file))) << at << " of " << whole.size();
    }
    // An ancillary chunk, here a comment without its checksum, is nothing that pixels depend on.
    const std::string comment("\0\0\0\x02tEXta\0wide", 14);
    std::string commented = whole;
    commented.insert(kHeaderEnd, comment);
    EXPECT_TRUE(inspectImage(bytesOf(commented)));
}

TEST(InspectImage, LeavesTheMiddleOfAJpegToDecoding) {
    const std::string file = test::endedEarly(jpegOf(64, 64, gradient(64, 64)));
    EXPECT_TRUE(inspectImage(bytesOf(file)));
    for (const int reduction : {1, 4}) EXPECT_FALSE(decodeImage(bytesOf(file), 3, reduction)) << reduction;
}

// libjpeg only warns of these, and makes pixels up.
TEST(DecodeImage, AJpegWithWrongCodesIsDamaged) {
    const std::string whole = jpegOf(40, 30, gradient(40, 30));
    const std::size_t pixels = whole.find("\xFF\xDA") + 14;
    // 32 bits of 1, which begin no code: an FF within the codes is followed by a 0.
    const std::string ones("\xFF\0\xFF\0\xFF\0\xFF\0", 8);
    for (std::size_t at = pixels + 8; at + 40 < whole.size(); at += 16) {
        std::string wrong = whole;
        wrong.replace(at, ones.size(), ones);
        EXPECT_TRUE(inspectImage(bytesOf(wrong))) << "its header and its end are in order";
        const auto image = decodeImage(bytesOf(wrong), 3);
        ASSERT_FALSE(image) << at << " of " << whole.size();
        EXPECT_THAT(image.error().message, HasSubstr("it is damaged: Corrupt JPEG data"));
    }
}

std::vector<std::uint8_t> noise(int width, int height) {
    std::vector<std::uint8_t> pixels(std::size_t{3} * static_cast<std::size_t>(width) *
                                     static_cast<std::size_t>(height));
    std::uint32_t state = 1;
    for (std::uint8_t& pixel : pixels) {
        state = state * 1664525 + 1013904223;
        pixel = static_cast<std::uint8_t>(state >> 24);
    }
    return pixels;
}

// The fast decoder reads more than 3 kB of codes, and does not look for wrong ones. That it lost its place shows where
// it runs out of codes before the last row, or meets the marker of a restart too soon or too late. Not found: wrong or
// added codes in a file without restarts which leave bytes over at the end, as those of whole files may be padding.
TEST(DecodeImage, ALargeJpegThatLostItsPlaceIsDamaged) {
    const std::string whole = jpegOf(256, 256, noise(256, 256));
    ASSERT_TRUE(decodeImage(bytesOf(whole), 3));
    std::string shorter = whole;
    shorter.erase(shorter.size() / 2, 2000);
    for (const int reduction : {1, 8}) {
        const auto image = decodeImage(bytesOf(shorter), 3, reduction);
        ASSERT_FALSE(image) << reduction;
        EXPECT_THAT(image.error().message, HasSubstr("premature end"));
    }
    constexpr unsigned kRow = 16;  // units of 16 x 16 pixels between two restarts
    std::string longer = jpegOf(256, 256, noise(256, 256), kRow);
    ASSERT_TRUE(decodeImage(bytesOf(longer), 3));
    longer.insert(longer.size() / 2, std::string(2000, '\x55'));
    const auto image = decodeImage(bytesOf(longer), 3);
    ASSERT_FALSE(image);
    EXPECT_THAT(image.error().message, HasSubstr("extraneous bytes before marker 0xd"));
}

// Files of Oxford-IIIT Pet, of dogs against cats and of COCO have such zeros before the end marker.
TEST(DecodeImage, BytesBeforeTheEndAreNoDamage) {
    for (const auto& [extent, pixels] : {std::pair(40, gradient(40, 40)), std::pair(256, noise(256, 256))}) {
        const std::string whole = jpegOf(extent, extent, pixels);
        for (const std::size_t left : {4U, 240U, 5000U}) {
            std::string file = whole;
            file.insert(file.size() - 2, left, '\0');
            EXPECT_TRUE(inspectImage(bytesOf(file))) << left;
            const auto image = decodeImage(bytesOf(file), 3);
            ASSERT_TRUE(image) << left << ": " << image.error().message;
            EXPECT_EQ(image->pixels, decodeImage(bytesOf(whole), 3)->pixels) << left;
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
        // The edges are left out: pixels beyond the box are missing there.
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
