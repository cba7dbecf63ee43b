#include "core/datasets/formats/images.h"

// jpeglib.h needs what <cstdio> declares.
#include <cstdio>
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <string>

namespace dasgd {

namespace {

using FileBytes = std::span<const unsigned char>;

constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

Status checkExtents(std::int64_t width, std::int64_t height) {
    if (width > 0 && height > 0 && width <= kMaxPixels / height) return {};
    return fail("it claims to have " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
}

// libjpeg reports an error by a call that must not return: it goes back to where the work was begun.
struct JpegErrors {
    jpeg_error_mgr base;
    std::jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void giveUp(j_common_ptr info) {
    auto* errors = reinterpret_cast<JpegErrors*>(info->err);
    info->err->format_message(info, errors->text);
    std::longjmp(errors->back, 1);
}

// Whether a warning says that pixels are missing or were made up. Bytes that are left over before the marker of the end
// are no such sign: every row has been decoded by then, or the warning would be of too few codes, and files of several
// cameras and well-known collections have hundreds of them. Within an image they show that the decoder lost its place;
// some encoders pad there by a few.
bool tellsOfDamage(const jpeg_error_mgr& errors) {
    constexpr int kPadding = 16, kEndOfImage = 0xD9;
    switch (errors.msg_code) {
        case JWRN_JPEG_EOF:
        case JWRN_HIT_MARKER:
        case JWRN_HUFF_BAD_CODE:
        case JWRN_ARITH_BAD_CODE:
        case JWRN_MUST_RESYNC: return true;
        case JWRN_EXTRANEOUS_DATA: return errors.msg_parm.i[0] > kPadding && errors.msg_parm.i[1] != kEndOfImage;
        default: return false;
    }
}

void noteWarning(j_common_ptr info, int level) {
    if (level < 0 && tellsOfDamage(*info->err)) giveUp(info);
}

// Whatever may go back is in a function that has no object of its own.
class JpegDecoder {
public:
    explicit JpegDecoder(FileBytes file) : file_(file) {
        info_.err = jpeg_std_error(&errors_.base);
        errors_.base.error_exit = giveUp;
        errors_.base.emit_message = noteWarning;
        jpeg_create_decompress(&info_);
    }
    ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    [[nodiscard]] bool readHeader() {
        if (setjmp(errors_.back) != 0) return false;
        jpeg_mem_src(&info_, file_.data(), file_.size());
        jpeg_read_header(&info_, TRUE);
        return true;
    }
    [[nodiscard]] bool start(int channels, int reduction) {
        if (setjmp(errors_.back) != 0) return false;
        // libjpeg converts no CMYK.
        const bool inks = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
        info_.out_color_space = inks ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        info_.scale_num = 1;
        info_.scale_denom = static_cast<unsigned>(reduction);
        jpeg_start_decompress(&info_);
        return true;
    }
    // One row into `row`.
    [[nodiscard]] bool readRow(std::uint8_t* row) {
        if (setjmp(errors_.back) != 0) return false;
        jpeg_read_scanlines(&info_, &row, 1);
        return true;
    }
    [[nodiscard]] bool finish() {
        if (setjmp(errors_.back) != 0) return false;
        jpeg_finish_decompress(&info_);
        return true;
    }
    [[nodiscard]] const jpeg_decompress_struct& info() const { return info_; }
    [[nodiscard]] tl::unexpected<Error> damage() const { return fail(std::string("it is damaged: ") + errors_.text); }

private:
    FileBytes file_;
    jpeg_decompress_struct info_{};
    JpegErrors errors_{};
};

// Inks of Adobe's JPEG files are stored inverted: 255 is none.
void inksToColours(const std::uint8_t* inks, int width, int channels, std::uint8_t* out) {
    for (int x = 0; x < width; ++x, inks += 4) {
        int colours[3];
        for (int c = 0; c < 3; ++c) colours[c] = inks[c] * inks[3] / 255;
        if (channels == 3) {
            for (const int colour : colours) *out++ = static_cast<std::uint8_t>(colour);
        } else {
            *out++ = static_cast<std::uint8_t>((299 * colours[0] + 587 * colours[1] + 114 * colours[2]) / 1000);
        }
    }
}

Result<Image> decodeJpeg(FileBytes file, int channels, int reduction) {
    JpegDecoder decoder(file);
    if (!decoder.readHeader()) return decoder.damage();
    DASGD_TRY(checkExtents(decoder.info().image_width, decoder.info().image_height));
    if (!decoder.start(channels, reduction)) return decoder.damage();
    const bool inks = decoder.info().out_color_space == JCS_CMYK;
    Image image{.width = static_cast<int>(decoder.info().output_width),
                .height = static_cast<int>(decoder.info().output_height),
                .channels = channels};
    const std::size_t stride = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(channels);
    image.pixels.resize(stride * static_cast<std::size_t>(image.height));
    std::vector<std::uint8_t> inkRow(inks ? 4 * static_cast<std::size_t>(image.width) : 0);
    for (int y = 0; y < image.height; ++y) {
        std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(y) * stride;
        if (!decoder.readRow(inks ? inkRow.data() : row)) return decoder.damage();
        if (inks) inksToColours(inkRow.data(), image.width, channels, row);
    }
    if (!decoder.finish()) return decoder.damage();
    return image;
}

struct PngReader {
    PngReader() { image.version = PNG_IMAGE_VERSION; }
    ~PngReader() { png_image_free(&image); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    [[nodiscard]] Status open(FileBytes file) {
        if (!png_image_begin_read_from_memory(&image, file.data(), file.size())) return damage();
        return checkExtents(image.width, image.height);
    }
    [[nodiscard]] tl::unexpected<Error> damage() const { return fail(std::string("it is damaged: ") + image.message); }

    png_image image{};
};

Result<Image> decodePng(FileBytes file, int channels) {
    PngReader reader;
    DASGD_TRY(reader.open(file));
    reader.image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    Image image{.width = static_cast<int>(reader.image.width),
                .height = static_cast<int>(reader.image.height),
                .channels = channels,
                .pixels = std::vector<std::uint8_t>(PNG_IMAGE_SIZE(reader.image))};
    const png_color black{0, 0, 0};  // behind what is transparent
    if (!png_image_finish_read(&reader.image, &black, image.pixels.data(), 0, nullptr)) return reader.damage();
    return image;
}

bool isJpeg(FileBytes file) { return file.size() >= 3 && file[0] == 0xFF && file[1] == 0xD8 && file[2] == 0xFF; }
bool isPng(FileBytes file) { return file.size() >= 8 && png_sig_cmp(file.data(), 0, 8) == 0; }

std::uint32_t pngNumber(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// Whether the chunks are there to the last one. Errors: the checksum of a chunk that pixels depend on is wrong.
Result<bool> hasAllChunks(FileBytes file) {
    constexpr std::size_t kSignature = 8, kFrame = 12, kLongest = 0x7FFFFFFF;  // a frame: length, type, checksum
    for (std::size_t at = kSignature; file.size() - at >= kFrame;) {
        const std::size_t length = pngNumber(file.data() + at);
        if (length > kLongest || length > file.size() - at - kFrame) return false;
        const unsigned char* type = file.data() + at + 4;
        const bool ancillary = (type[0] & 0x20) != 0;
        const auto sum = static_cast<std::uint32_t>(::crc32(0, type, static_cast<uInt>(length + 4)));
        if (!ancillary && sum != pngNumber(type + 4 + length)) {
            return fail("it is damaged: the checksum of its chunk at byte " + std::to_string(at) + " is wrong");
        }
        if (std::equal(type, type + 4, "IEND")) return true;
        at += kFrame + length;
    }
    return false;
}

// Nothing is decoded for it. Of a JPEG, which has no checksums, the last bytes tell; a PNG is read through.
Result<bool> endsAsItShould(FileBytes file) {
    if (isPng(file)) return hasAllChunks(file);
    return file[file.size() - 2] == 0xFF && file[file.size() - 1] == 0xD9;
}

Result<ImageSize> sizeInHeader(FileBytes file) {
    if (isPng(file)) {
        PngReader reader;
        DASGD_TRY(reader.open(file));
        return ImageSize{static_cast<int>(reader.image.width), static_cast<int>(reader.image.height)};
    }
    JpegDecoder decoder(file);
    if (!decoder.readHeader()) return decoder.damage();
    DASGD_TRY(checkExtents(decoder.info().image_width, decoder.info().image_height));
    return ImageSize{static_cast<int>(decoder.info().image_width), static_cast<int>(decoder.info().image_height)};
}

// Which source pixels go into one of the output, and how much of each.
struct Weights {
    int first = 0;
    std::vector<float> shares;  // sum 1
};

std::vector<Weights> weightsOf(double begin, double length, int extent, int pixels) {
    const double scale = length / extent;
    const double reach = std::max(1.0, scale);
    const int lowest = std::clamp(static_cast<int>(begin), 0, pixels - 1);
    const int highest = std::clamp(static_cast<int>(begin + length - 1e-9), lowest, pixels - 1);
    std::vector<Weights> all(static_cast<std::size_t>(extent));
    for (int i = 0; i < extent; ++i) {
        const double centre = begin + (i + 0.5) * scale - 0.5;  // in the numbers of the pixels' centres
        const int first = std::clamp(static_cast<int>(std::floor(centre - reach)) + 1, lowest, highest);
        const int last = std::clamp(static_cast<int>(centre + reach), first, highest);
        Weights& weights = all[static_cast<std::size_t>(i)];
        weights.first = first;
        double sum = 0;
        for (int p = first; p <= last; ++p) {
            const double share = std::max(1e-6, 1 - std::abs(p - centre) / reach);
            weights.shares.push_back(static_cast<float>(share));
            sum += share;
        }
        for (float& share : weights.shares) share = static_cast<float>(share / sum);
    }
    return all;
}

// One row of `image`, every channel on its own: out[channel · extent + x].
void resampleRow(const Image& image, int y, const std::vector<Weights>& columns, float* out) {
    const auto channels = static_cast<std::size_t>(image.channels);
    const std::uint8_t* row =
        image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) * channels;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        for (std::size_t c = 0; c < channels; ++c) {
            const std::uint8_t* pixel = row + static_cast<std::size_t>(columns[x].first) * channels + c;
            float sum = 0;
            for (const float share : columns[x].shares) {
                sum += share * static_cast<float>(*pixel);
                pixel += channels;
            }
            out[c * columns.size() + x] = sum;
        }
    }
}

}  // namespace

Result<Image> decodeImage(FileBytes file, int channels, int reduction) {
    if (isPng(file)) return decodePng(file, channels);
    if (isJpeg(file)) return decodeJpeg(file, channels, reduction);
    return fail("it is neither JPEG nor PNG");
}

Result<ImageSize> inspectImage(FileBytes file) {
    if (!isPng(file) && !isJpeg(file)) return fail("it is neither JPEG nor PNG");
    DASGD_ASSIGN(const ImageSize size, sizeInHeader(file));
    DASGD_ASSIGN(const bool ends, endsAsItShould(file));
    // Some writers add bytes after the end.
    if (!ends) DASGD_TRY(decodeImage(file, 1, 8));
    return size;
}

void resample(const Image& image, const Box& box, int extent, bool mirrored, std::uint8_t* out) {
    const std::vector<Weights> columns = weightsOf(box.x, box.width, extent, image.width);
    const std::vector<Weights> rows = weightsOf(box.y, box.height, extent, image.height);
    const auto size = static_cast<std::size_t>(extent);
    const std::size_t rowFloats = size * static_cast<std::size_t>(image.channels);
    const int top = rows.front().first;
    const int bottom = rows.back().first + static_cast<int>(rows.back().shares.size());
    std::vector<float> narrowed(rowFloats * static_cast<std::size_t>(bottom - top));
    for (int y = top; y < bottom; ++y) {
        resampleRow(image, y, columns, narrowed.data() + static_cast<std::size_t>(y - top) * rowFloats);
    }
    std::vector<float> sums(rowFloats);
    for (std::size_t y = 0; y < size; ++y) {
        std::ranges::fill(sums, 0.5F);  // rounds
        const float* row = narrowed.data() + static_cast<std::size_t>(rows[y].first - top) * rowFloats;
        for (const float share : rows[y].shares) {
            for (std::size_t i = 0; i < rowFloats; ++i) sums[i] += share * row[i];
            row += rowFloats;
        }
        for (std::size_t i = 0; i < rowFloats; ++i) {
            const std::size_t x = mirrored ? size - 1 - i % size : i % size;
            out[(i / size * size + y) * size + x] = static_cast<std::uint8_t>(std::min(sums[i], 255.0F));
        }
    }
}

}  // namespace dasgd
