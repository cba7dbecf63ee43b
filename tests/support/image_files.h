// Hand-made JPEG and PNG files.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
// jpeglib.h needs what <cstdio> declares.
#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace dasgd::test {

// Rows of red, green and blue, each colour a plane of its own slope, so that every place can be told.
inline std::vector<std::uint8_t> gradient(int width, int height) {
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            pixels.push_back(static_cast<std::uint8_t>(255 * x / std::max(1, width - 1)));
            pixels.push_back(static_cast<std::uint8_t>(255 * y / std::max(1, height - 1)));
            pixels.push_back(128);
        }
    }
    return pixels;
}

inline std::string pngOf(int width, int height, const std::vector<std::uint8_t>& pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = 0;
    EXPECT_TRUE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr));
    std::string file(size, '\0');
    EXPECT_TRUE(png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr));
    file.resize(size);
    return file;
}

// `restart`: so many units of 16 x 16 pixels between two restart markers; 0: none.
inline std::string jpegOf(int width, int height, const std::vector<std::uint8_t>& pixels, unsigned restart = 0) {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = static_cast<JDIMENSION>(width);
    info.image_height = static_cast<JDIMENSION>(height);
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 95, TRUE);
    info.restart_interval = restart;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row =
            const_cast<std::uint8_t*>(pixels.data()) + std::size_t{3} * info.image_width * info.next_scanline;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    std::string file(reinterpret_cast<char*>(bytes), size);
    std::free(bytes);
    return file;
}

// The JPEG file with an end within its pixels too: by its header and its last bytes it is whole.
inline std::string endedEarly(std::string jpeg) {
    jpeg.replace(jpeg.size() - 30, 2, "\xFF\xD9");
    return jpeg;
}

}  // namespace dasgd::test
