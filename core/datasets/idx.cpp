#include "core/datasets/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "core/base/check.h"

namespace dasgd {

namespace {

using Bytes = std::span<const unsigned char>;

constexpr std::size_t kMaxDimensions = 4;
// Deflate cannot shrink further than 1032 to 1 (zlib's technical notes), so a gzip file bounds what it can hold.
constexpr std::int64_t kMaxInflation = 1032;
constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 36;

// The decoded bytes of a plain or gzip file, in order.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    // Fills `out` as far as the bytes reach; answers how many. Fails on a damaged stream.
    virtual Result<std::size_t> read(std::span<unsigned char> out) = 0;
    // No more than this many bytes can come in all.
    [[nodiscard]] virtual std::int64_t bound() const = 0;
};

class PlainSource final : public ByteSource {
public:
    explicit PlainSource(Bytes file) : rest_(file), bound_(static_cast<std::int64_t>(file.size())) {}
    Result<std::size_t> read(std::span<unsigned char> out) override {
        const std::size_t count = std::min(out.size(), rest_.size());
        std::copy_n(rest_.begin(), count, out.begin());
        rest_ = rest_.subspan(count);
        return count;
    }
    std::int64_t bound() const override { return bound_; }

private:
    Bytes rest_;
    std::int64_t bound_;
};

class GzipSource final : public ByteSource {
public:
    explicit GzipSource(Bytes file) : rest_(file), bound_(static_cast<std::int64_t>(file.size()) * kMaxInflation) {
        constexpr int kGzipWindow = 15 + 16;
        DASGD_CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK);
    }
    ~GzipSource() override { inflateEnd(&stream_); }
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;

    Result<std::size_t> read(std::span<unsigned char> out) override {
        std::size_t done = 0;
        while (done < out.size() && !ended_) {
            stream_.next_in = const_cast<unsigned char*>(rest_.data());
            stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(rest_.size(), 1U << 30));
            stream_.next_out = out.data() + done;
            stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size() - done, 1U << 30));
            const auto [in, room] = std::pair(stream_.avail_in, stream_.avail_out);
            const int code = inflate(&stream_, Z_NO_FLUSH);
            rest_ = rest_.subspan(in - stream_.avail_in);
            done += room - stream_.avail_out;
            if (code == Z_STREAM_END) {
                DASGD_TRY(nextMember());
            } else if (code == Z_BUF_ERROR && rest_.empty()) {
                return fail("its gzip stream breaks off early");
            } else if (code != Z_OK) {
                return fail(std::string("its gzip stream is damaged (") + (stream_.msg ? stream_.msg : "bad data") +
                            ")");
            }
        }
        return done;
    }
    std::int64_t bound() const override { return bound_; }

private:
    // A gzip file may hold several members in a row; zeros after the last are padding.
    Status nextMember() {
        const auto padding = std::find_if(rest_.begin(), rest_.end(), [](unsigned char c) { return c != 0; });
        ended_ = padding == rest_.end();
        if (!ended_ && inflateReset(&stream_) != Z_OK) return fail("its gzip stream cannot be read on");
        return {};
    }

    z_stream stream_{};
    Bytes rest_;
    std::int64_t bound_;
    bool ended_ = false;
};

std::unique_ptr<ByteSource> openSource(Bytes file) {
    const bool gzip = file.size() >= 2 && file[0] == 0x1f && file[1] == 0x8b;
    if (gzip) return std::make_unique<GzipSource>(file);
    return std::make_unique<PlainSource>(file);
}

std::uint32_t bigEndian(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::string hex(std::uint32_t value) {
    std::array<char, 11> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", value);
    return text.data();
}

Status readExactly(ByteSource& source, std::span<unsigned char> out, const std::string& what) {
    DASGD_ASSIGN(const std::size_t got, source.read(out));
    if (got == out.size()) return {};
    return fail("it is truncated: " + what + " needs " + std::to_string(out.size()) + " bytes, " + std::to_string(got) +
                " are there");
}

Result<IdxArray> decode(ByteSource& source, int dimensions) {
    std::array<unsigned char, 4 * (1 + kMaxDimensions)> header{};
    const std::span<unsigned char> magicBytes(header.data(), 4);
    DASGD_TRY(readExactly(source, magicBytes, "the magic number"));
    const std::uint32_t wanted = 0x0800U + static_cast<std::uint32_t>(dimensions);
    if (const std::uint32_t magic = bigEndian(header.data()); magic != wanted) {
        return fail("its magic number is " + hex(magic) + ", expected " + hex(wanted) + " (IDX, unsigned bytes, " +
                    std::to_string(dimensions) + (dimensions == 1 ? " dimension)" : " dimensions)"));
    }
    const std::span<unsigned char> extentBytes(header.data() + 4, 4 * static_cast<std::size_t>(dimensions));
    DASGD_TRY(readExactly(source, extentBytes, "the header"));

    IdxArray array;
    std::int64_t total = 1;
    for (int i = 0; i < dimensions; ++i) {
        const std::int64_t extent = bigEndian(extentBytes.data() + std::size_t{4} * static_cast<std::size_t>(i));
        array.extents.push_back(extent);
        if (extent != 0 && total > source.bound() / extent) {
            return fail("its header announces more than the file can hold: it is truncated or damaged");
        }
        total *= extent;
    }
    array.bytes.resize(static_cast<std::size_t>(total));
    DASGD_TRY(readExactly(source, array.bytes, "what the header announces"));
    unsigned char surplus = 0;
    DASGD_ASSIGN(const std::size_t more, source.read(std::span(&surplus, 1)));
    if (more != 0) return fail("it holds more bytes than its header announces (" + std::to_string(total) + ")");
    return array;
}

}  // namespace

Result<IdxArray> decodeIdx(Bytes file, int dimensions, const std::string& name) {
    DASGD_CHECK(dimensions >= 1 && dimensions <= static_cast<int>(kMaxDimensions));
    auto array = decode(*openSource(file), dimensions);
    if (!array) return fail(name + ": " + array.error().message + ". Fetch the file anew");
    return array;
}

Result<IdxArray> readIdx(const std::filesystem::path& file, int dimensions) {
    std::error_code code;
    const auto status = std::filesystem::status(file, code);
    if (!std::filesystem::exists(status)) return fail(file.string() + ": there is no such file");
    if (!std::filesystem::is_regular_file(status)) return fail(file.string() + ": this is not a regular file");
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, code));
    if (code || size > kMaxFileBytes) return fail(file.string() + ": its size cannot be handled; is it an IDX file?");
    std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(reinterpret_cast<char*>(bytes.data()), size)) {
        return fail(file.string() + ": it cannot be read (" + std::strerror(errno) + "). Check its permissions");
    }
    return decodeIdx(bytes, dimensions, file.string());
}

}  // namespace dasgd
