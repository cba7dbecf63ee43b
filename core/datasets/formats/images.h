// JPEG by libjpeg-turbo, PNG by libpng, told apart by their first bytes. Pixels are those that PIL gives:
// Image.open(file).convert("RGB"), or "L" for grey. So a PNG's gamma, colour profile and transparency do not count (the
// colours behind transparent pixels are taken as they are stored), 16 bits lose their lower byte, but grey of 16 bits
// is clipped at 255; an orientation in EXIF is not applied; four channels of a JPEG are Adobe's inverted inks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// True where the first bytes are those of a JPEG or a PNG.
[[nodiscard]] bool isKnownImage(std::span<const unsigned char> file);

struct ImageSize {
    int width = 0, height = 0;
};

struct Image {
    int width = 0, height = 0, channels = 0;
    std::vector<std::uint8_t> pixels;  // row by row, the channels of a pixel together
};

// Size in the header of a file that is whole: a file that does not end as its format requires is decoded to find out,
// and checksums of PNG are compared. Damage in the middle of a JPEG, which has no checksums, is left to decodeImage().
// Errors give the fault without a file's name: neither JPEG nor PNG, damaged, of more than 2^28 pixels.
[[nodiscard]] Result<ImageSize> inspectImage(std::span<const unsigned char> file);

// Decodes into `channels` channels: 1, grey; 3, red, green and blue. A JPEG can be reduced to 1/`reduction` (1, 2, 4,
// 8) in each direction, rounded up, which takes less time; PNG is not reduced. Errors as inspectImage(); a JPEG about
// which libjpeg warns that a part is missing or has wrong codes is damaged, one with bytes left over before its end is
// not.
[[nodiscard]] Result<Image> decodeImage(std::span<const unsigned char> file, int channels, int reduction = 1);

// A part of an image, in pixels and fractions of them.
struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};

// Scales the part `box` to extent x extent pixels, channel by channel, into `out`, which has room for them. Linear
// interpolation, over as many source pixels as an output pixel covers where the part is reduced; pixels beyond the box
// do not count.
void resample(const Image& image, const Box& box, int extent, bool mirrored, std::uint8_t* out);

}  // namespace dasgd
