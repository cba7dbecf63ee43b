#include "core/datasets/formats/images.h"

// jpeglib.h needs declarations of <cstdio>.
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
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace {

using FileBytes = std::span<const unsigned char>;

constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

Status checkExtents(std::int64_t width, std::int64_t height) {
    if (width > 0 && height > 0 && width <= kMaxPixels / height) return {};
    return fail("it claims to have " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
}

// libjpeg reports an error by a call that must not return: it jumps back to where the work began.
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

// True where a warning means that pixels are missing or were made up. Bytes left over before the end marker do not mean
// that: every row has been decoded by then, or the warning would be of too few codes, and files of several cameras and
// well-known collections have hundreds of them. Within an image they show that the decoder lost its position; some
// encoders pad there by a few.
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

// Calls that may jump back are in functions without objects of their own.
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
    // Rows come as they are stored: grey, inks (libjpeg converts no CMYK) or colours.
    [[nodiscard]] bool start(int reduction) {
        if (setjmp(errors_.back) != 0) return false;
        const bool inks = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
        const bool grey = info_.jpeg_color_space == JCS_GRAYSCALE;
        info_.out_color_space = inks ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_RGB;
        info_.scale_num = 1;
        info_.scale_denom = static_cast<unsigned>(reduction);
        jpeg_start_decompress(&info_);
        return true;
    }
    // Reads one row into `row`.
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

// Luma of ITU-R BT.601 in fixed point, as PIL computes mode L.
std::uint8_t greyOf(int red, int green, int blue) {
    return static_cast<std::uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16);
}

// a * b / 255, rounded, for a and b up to 255.
int scaledBy(int a, int b) {
    const int product = a * b + 128;
    return ((product >> 8) + product) >> 8;
}

// Adobe's JPEG files store inks inverted: 255 is none. PIL takes all files of four channels to be such.
void inksToColours(const std::uint8_t* inks, int width, std::uint8_t* out) {
    for (int x = 0; x < width; ++x, inks += 4) {
        for (int c = 0; c < 3; ++c) {
            *out++ = static_cast<std::uint8_t>(std::max(0, inks[3] - scaledBy(255 - inks[c], inks[3])));
        }
    }
}

// Converts a row of pixels; each of `from` and `to` is 1, grey, or 3, colours. Grey of colours comes from what is
// shown, as PIL has it, and not from the luma that a JPEG stores, which may lie outside of what can be shown.
void convertRow(const std::uint8_t* row, int from, int width, int to, std::uint8_t* out) {
    const auto pixels = static_cast<std::size_t>(width);
    if (from == to) {
        std::copy_n(row, pixels * static_cast<std::size_t>(from), out);
    } else if (from == 1) {
        for (std::size_t x = 0; x < pixels; ++x, out += 3) std::fill_n(out, 3, row[x]);
    } else {
        for (std::size_t x = 0; x < pixels; ++x, row += 3) out[x] = greyOf(row[0], row[1], row[2]);
    }
}

Image emptyImage(int width, int height, int channels) {
    Image image{.width = width, .height = height, .channels = channels, .pixels = {}};
    image.pixels.resize(static_cast<std::size_t>(channels) * static_cast<std::size_t>(width) *
                        static_cast<std::size_t>(height));
    return image;
}

Result<Image> decodeJpeg(FileBytes file, int channels, int reduction) {
    JpegDecoder decoder(file);
    if (!decoder.readHeader()) return decoder.damage();
    DASGD_TRY(checkExtents(decoder.info().image_width, decoder.info().image_height));
    if (!decoder.start(reduction)) return decoder.damage();
    const int stored = decoder.info().out_color_components;
    Image image = emptyImage(static_cast<int>(decoder.info().output_width),
                             static_cast<int>(decoder.info().output_height), channels);
    const std::size_t width = decoder.info().output_width, stride = width * static_cast<std::size_t>(channels);
    std::vector<std::uint8_t> row(width * static_cast<std::size_t>(stored)), colours(stored == 4 ? 3 * width : 0);
    for (int y = 0; y < image.height; ++y) {
        std::uint8_t* out = image.pixels.data() + static_cast<std::size_t>(y) * stride;
        if (!decoder.readRow(stored == channels ? out : row.data())) return decoder.damage();
        if (stored == 4) {
            inksToColours(row.data(), image.width, colours.data());
            convertRow(colours.data(), 3, image.width, channels, out);
        } else if (stored != channels) {
            convertRow(row.data(), stored, image.width, channels, out);
        }
    }
    if (!decoder.finish()) return decoder.damage();
    return image;
}

// libpng reports an error by a call that must not return, as libjpeg does.
class PngDecoder {
public:
    explicit PngDecoder(FileBytes file) : rest_(file) {
        png_ =
            png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &PngDecoder::giveUp, [](png_structp, const char*) {});
        DASGD_CHECK(png_ != nullptr);
        info_ = png_create_info_struct(png_);
        DASGD_CHECK(info_ != nullptr);
    }
    ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngDecoder(const PngDecoder&) = delete;
    PngDecoder& operator=(const PngDecoder&) = delete;

    [[nodiscard]] bool readHeader() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_benign_errors(png_, 1);
        png_set_read_fn(png_, this, &PngDecoder::read);
        png_read_info(png_, info_);
        return true;
    }
    // Values as they are stored, in 8 bits: gamma, transparency and the lower byte of 16 bits do not count. Grey of 16
    // bits stays so.
    [[nodiscard]] bool start() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        const int type = png_get_color_type(png_, info_);
        if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
        if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
        if (type != PNG_COLOR_TYPE_GRAY) png_set_strip_16(png_);
        png_set_strip_alpha(png_);
        passes_ = png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        return true;
    }
    // One row into `row`; of an interlaced image, its pixels of the present pass.
    [[nodiscard]] bool readRow(std::uint8_t* row) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_read_row(png_, row, nullptr);
        return true;
    }
    [[nodiscard]] int width() const { return static_cast<int>(png_get_image_width(png_, info_)); }
    [[nodiscard]] int height() const { return static_cast<int>(png_get_image_height(png_, info_)); }
    [[nodiscard]] int passes() const { return passes_; }
    [[nodiscard]] std::size_t rowBytes() const { return png_get_rowbytes(png_, info_); }
    [[nodiscard]] int storedChannels() const { return png_get_channels(png_, info_); }
    [[nodiscard]] bool isWide() const { return png_get_bit_depth(png_, info_) == 16; }
    [[nodiscard]] tl::unexpected<Error> damage() const { return fail("it is damaged: " + problem_); }

private:
    [[noreturn]] static void giveUp(png_structp png, const char* problem) {
        static_cast<PngDecoder*>(png_get_error_ptr(png))->problem_ = problem;
        png_longjmp(png, 1);
    }
    static void read(png_structp png, png_bytep out, std::size_t count) {
        auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
        if (count > self->rest_.size()) png_error(png, "it breaks off early");
        std::copy_n(self->rest_.begin(), count, out);
        self->rest_ = self->rest_.subspan(count);
    }

    FileBytes rest_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    int passes_ = 1;
    std::string problem_;
};

// PIL clips grey of 16 bits at 255 where it converts it, and does not scale it.
std::vector<std::uint8_t> clippedTo8Bits(const std::vector<std::uint8_t>& stored) {
    std::vector<std::uint8_t> clipped(stored.size() / 2);
    for (std::size_t i = 0; i < clipped.size(); ++i) clipped[i] = stored[2 * i] > 0 ? 255 : stored[2 * i + 1];
    return clipped;
}

Result<Image> decodePng(FileBytes file, int channels) {
    PngDecoder decoder(file);
    if (!decoder.readHeader()) return decoder.damage();
    DASGD_TRY(checkExtents(decoder.width(), decoder.height()));
    if (!decoder.start()) return decoder.damage();
    std::vector<std::uint8_t> stored(decoder.rowBytes() * static_cast<std::size_t>(decoder.height()));
    for (int pass = 0; pass < decoder.passes(); ++pass) {
        for (std::size_t at = 0; at < stored.size(); at += decoder.rowBytes()) {
            if (!decoder.readRow(stored.data() + at)) return decoder.damage();
        }
    }
    if (decoder.isWide()) stored = clippedTo8Bits(stored);
    Image image = emptyImage(decoder.width(), decoder.height(), channels);
    if (decoder.storedChannels() == channels) {
        image.pixels = std::move(stored);
        return image;
    }
    const auto width = static_cast<std::size_t>(image.width);
    for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
        convertRow(stored.data() + y * width * static_cast<std::size_t>(decoder.storedChannels()),
                   decoder.storedChannels(), image.width, channels,
                   image.pixels.data() + y * width * static_cast<std::size_t>(channels));
    }
    return image;
}

bool isJpeg(FileBytes file) { return file.size() >= 3 && file[0] == 0xFF && file[1] == 0xD8 && file[2] == 0xFF; }
bool isPng(FileBytes file) { return file.size() >= 8 && png_sig_cmp(file.data(), 0, 8) == 0; }

std::uint32_t pngNumber(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// True where all chunks are there, to the last one. Errors: a wrong checksum of a chunk that pixels depend on.
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

// Checks the end of a file without decoding it: the last bytes of a JPEG, which has no checksums; a PNG is read
// through.
Result<bool> endsAsItShould(FileBytes file) {
    if (isPng(file)) return hasAllChunks(file);
    return file[file.size() - 2] == 0xFF && file[file.size() - 1] == 0xD9;
}

Result<ImageSize> sizeInHeader(FileBytes file) {
    if (isPng(file)) {
        PngDecoder decoder(file);
        if (!decoder.readHeader()) return decoder.damage();
        DASGD_TRY(checkExtents(decoder.width(), decoder.height()));
        return ImageSize{decoder.width(), decoder.height()};
    }
    JpegDecoder decoder(file);
    if (!decoder.readHeader()) return decoder.damage();
    DASGD_TRY(checkExtents(decoder.info().image_width, decoder.info().image_height));
    return ImageSize{static_cast<int>(decoder.info().image_width), static_cast<int>(decoder.info().image_height)};
}

// Source pixels of one output pixel, and the share of each.
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
        const double centre = begin + (i + 0.5) * scale - 0.5;  // in coordinates of the pixels' centres
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

// Resamples one row of `image`, each channel separately: out[channel · extent + x].
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

bool isKnownImage(FileBytes file) { return isPng(file) || isJpeg(file); }

Result<Image> decodeImage(FileBytes file, int channels, int reduction) {
    if (isPng(file)) return decodePng(file, channels);
    if (isJpeg(file)) return decodeJpeg(file, channels, reduction);
    return fail("it is neither JPEG nor PNG");
}

Result<ImageSize> inspectImage(FileBytes file) {
    if (!isKnownImage(file)) return fail("it is neither JPEG nor PNG");
    DASGD_ASSIGN(const ImageSize size, sizeInHeader(file));
    DASGD_ASSIGN(const bool ends, endsAsItShould(file));
    // Some writers add bytes after the end, so the file is decoded to see whether it is whole.
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
        std::ranges::fill(sums, 0.5F);  // for rounding
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
