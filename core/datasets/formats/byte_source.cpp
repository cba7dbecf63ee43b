#include "core/datasets/formats/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace {

using Bytes = std::span<const unsigned char>;

// Deflate cannot shrink further than 1032 to 1 (zlib's technical notes), so a gzip file bounds what it can hold.
constexpr std::int64_t kMaxInflation = 1032;

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

}  // namespace

std::unique_ptr<ByteSource> openSource(Bytes file) {
    const bool gzip = file.size() >= 2 && file[0] == 0x1f && file[1] == 0x8b;
    if (gzip) return std::make_unique<GzipSource>(file);
    return std::make_unique<PlainSource>(file);
}

Result<std::string> readWhole(ByteSource& source, std::size_t limit) {
    constexpr std::size_t kPart = std::size_t{1} << 20;
    std::string text;
    while (true) {
        const std::size_t before = text.size();
        text.resize(before + kPart);
        const auto got = source.read({reinterpret_cast<unsigned char*>(text.data()) + before, kPart});
        if (!got) return fail(got.error().message + ". Copy or download it again");
        text.resize(before + *got);
        if (text.size() > limit) {
            return fail("it holds more than " + std::to_string(limit) +
                        " bytes, the most that is read. Take a part of it");
        }
        if (*got == 0) return text;
    }
}

}  // namespace dasgd
