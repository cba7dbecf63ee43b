#include "experiments/tools/traces/import/trace_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace dasgd::experiments {

namespace {

constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kLongestText = 64 << 20;  // from one quotation mark to the next: a parser keeps a text whole

// A Perfetto trace whose first packet is of 123 or 91 bytes begins with a line feed and a bracket, too.
bool beginsLikeJson(const char* begin, const char* first, const char* end) {
    if (first == end || (*first != '{' && *first != '[')) return false;
    if (*begin != '\n') return true;
    const char* next = std::find_if(first + 1, end, [](char c) { return !std::strchr(" \t\r\n", c); });
    if (next == end) return true;
    return *first == '{' ? *next == '"' || *next == '}' : *next == '{' || *next == ']';
}

// How many bytes follow the first one of a character; −1 where none begins so.
int followersOf(unsigned char first) {
    if (first >= 0xc2 && first < 0xe0) return 1;
    if (first >= 0xe0 && first < 0xf0) return 2;
    return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

bool isFollower(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// The second byte has less room after some first ones: no overlong forms, no surrogates, nothing past U+10FFFF.
bool fits(unsigned char first, unsigned char second) {
    if (first == 0xe0) return second >= 0xa0;
    if (first == 0xed) return second < 0xa0;
    if (first == 0xf0) return second >= 0x90;
    return first != 0xf4 || second < 0x90;
}

}  // namespace

struct TraceBytes::Gzip {
    Gzip() { ready = ::inflateInit2(&stream, kGzipWindow) == Z_OK; }
    ~Gzip() { ::inflateEnd(&stream); }
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;
    z_stream stream{};
    bool ready = false, ended = false;
};

TraceBytes::TraceBytes(int file, std::uint64_t size, ReadSoFar progress)
    : file_(file), size_(size), progress_(std::move(progress)) {}
TraceBytes::~TraceBytes() { ::close(file_); }

Result<std::unique_ptr<TraceBytes>> TraceBytes::open(const std::filesystem::path& file, ReadSoFar progress) {
    const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0) return fail(file.string() + ": " + std::strerror(errno));
    struct stat about {};
    if (::fstat(handle, &about) != 0 || !S_ISREG(about.st_mode)) {
        ::close(handle);
        return fail(file.string() + " is not a file; give the trace itself");
    }
    std::unique_ptr<TraceBytes> bytes(
        new TraceBytes(handle, static_cast<std::uint64_t>(about.st_size), std::move(progress)));
    if (about.st_size == 0) return fail(file.string() + " is empty");
    bytes->readRaw();
    const bool packed = bytes->rawEnd_ > 2 && bytes->raw_[0] == '\x1f' && bytes->raw_[1] == '\x8b';
    if (packed) bytes->gzip_ = std::make_unique<Gzip>();
    return bytes;
}

TraceBytes::As TraceBytes::guess() {
    as_ = As::Binary;
    if (underflow() == traits_type::eof()) return As::Text;
    const char* first = std::find_if(gptr(), egptr(), [](char c) { return !std::strchr(" \t\r\n\xef\xbb\xbf", c); });
    if (beginsLikeJson(gptr(), first, egptr())) {
        as_ = As::Text;
        clean(static_cast<std::size_t>(egptr() - eback()));
        setg(eback(), eback() + (first - text_.data()), egptr());
    }
    return as_;
}

std::size_t TraceBytes::readRaw() {
    rawAt_ = rawEnd_ = 0;
    ssize_t got = 0;
    do {
        got = ::read(file_, raw_.data(), raw_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) damage_ = std::string("cannot be read any further: ") + std::strerror(errno);
    if (got <= 0) return 0;
    rawEnd_ = static_cast<std::size_t>(got);
    read_ += rawEnd_;
    sha_.add({raw_.data(), rawEnd_});
    if (progress_) progress_(read_, size_);
    return rawEnd_;
}

std::size_t TraceBytes::fill(char* to, std::size_t room) {
    if (room == 0) return 0;
    if (!gzip_) {
        if (rawAt_ == rawEnd_ && readRaw() == 0) return 0;
        const std::size_t part = std::min(room, rawEnd_ - rawAt_);
        std::memcpy(to, raw_.data() + rawAt_, part);
        rawAt_ += part;
        return part;
    }
    z_stream& stream = gzip_->stream;
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(room);
    while (gzip_->ready && stream.avail_out == room) {
        if (rawAt_ == rawEnd_ && readRaw() == 0) {
            if (!gzip_->ended && damage_.empty()) damage_ = "the compressed file ends too early";
            break;
        }
        // Several compressed files one after the other are one.
        if (std::exchange(gzip_->ended, false)) ::inflateReset(&stream);
        stream.next_in = reinterpret_cast<Bytef*>(raw_.data() + rawAt_);
        stream.avail_in = static_cast<uInt>(rawEnd_ - rawAt_);
        const int outcome = ::inflate(&stream, Z_NO_FLUSH);
        rawAt_ = rawEnd_ - stream.avail_in;
        gzip_->ended = outcome == Z_STREAM_END;
        if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) {
            damage_ = "the compressed file is damaged";
            gzip_->ready = false;
        }
    }
    return room - stream.avail_out;
}

TraceBytes::int_type TraceBytes::underflow() {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    taken_ += egptr() - eback();
    const std::size_t length = fill(text_.data(), text_.size() - 4);
    if (length == 0) return traits_type::eof();
    setg(text_.data(), text_.data(), text_.data() + length);
    if (as_ == As::Text) {
        clean(length);
        countText();
        if (longest_ > kLongestText) {
            damage_ = "it holds a text of more than 64 MiB";
            return traits_type::eof();
        }
    }
    return traits_type::to_int_type(*gptr());
}

TraceBytes::pos_type TraceBytes::seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) {
    if (offset != 0 || from != std::ios_base::cur) return pos_type(off_type(-1));
    return pos_type(taken_ + (gptr() - eback()));
}

void TraceBytes::countText() {
    for (const char* at = gptr(); at != egptr(); ++at) {
        ++textLength_;
        if (std::exchange(escaped_, false)) continue;
        escaped_ = *at == '\\';
        if (*at != '"') continue;
        longest_ = std::max(longest_, textLength_);
        textLength_ = 0;
    }
    longest_ = std::max(longest_, textLength_);
}

void TraceBytes::clean(std::size_t length) {
    // The rest of a character that the end of the part has cut is read now.
    for (std::size_t i = 0; i < length;) {
        const auto first = static_cast<unsigned char>(text_[i]);
        if (first < 0x80) {
            if (first < 0x20 || first == 0x7f) text_[i] = ' ';
            ++i;
            continue;
        }
        const int more = followersOf(first);
        while (more > 0 && i + static_cast<std::size_t>(more) >= length) {
            const std::size_t wanted = i + static_cast<std::size_t>(more) + 1 - length;
            const std::size_t got = fill(text_.data() + length, std::min(wanted, text_.size() - length));
            if (got == 0) break;
            length += got;
        }
        bool good = more > 0 && i + static_cast<std::size_t>(more) < length;
        for (int k = 1; good && k <= more; ++k) {
            const auto next = static_cast<unsigned char>(text_[i + static_cast<std::size_t>(k)]);
            good = isFollower(next) && (k > 1 || fits(first, next));
        }
        if (!good) {
            text_[i] = '?';
            ++replaced_;
        }
        i += good ? static_cast<std::size_t>(more) + 1 : 1;
    }
    setg(text_.data(), text_.data(), text_.data() + length);
}

std::string TraceBytes::sha256() {
    while (readRaw() > 0) {
    }
    return sha_.finish();
}

}  // namespace dasgd::experiments
