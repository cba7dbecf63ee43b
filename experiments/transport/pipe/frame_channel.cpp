#include "experiments/transport/pipe/frame_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/bytes.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kHeadBytes = 5;
constexpr auto kFirstType = static_cast<std::uint8_t>(FrameType::Hello);
constexpr auto kLastType = static_cast<std::uint8_t>(FrameType::Document);
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kMostFirstBytes = 200;

milliseconds since(steady_clock::time_point then) {
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - then);
}

int dontBlock(int file) {
    const int flags = ::fcntl(file, F_GETFL);
    ::fcntl(file, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

}  // namespace

void FrameDecoder::add(std::string_view bytes) {
    // So that what was handed out does not stay for ever, and is not moved for each frame.
    if (at_ > kReadBytes || at_ == buffer_.size()) buffer_.erase(0, std::exchange(at_, 0));
    buffer_.append(bytes);
}

// Skips what comes before the greeting; false where that is not here yet.
bool FrameDecoder::skipNoise() {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const std::size_t found = rest.find(kGreeting, kHeadBytes);
    if (found != std::string_view::npos) {
        noise_ = Noise::Refused;
        at_ += found - kHeadBytes;
        return true;
    }
    // The end may be the beginning of the first frame.
    at_ += rest.size() - std::min(rest.size(), kHeadBytes + kGreeting.size() - 1);
    return false;
}

Result<std::optional<Frame>> FrameDecoder::next() {
    if (noise_ == Noise::Skipped && !skipNoise()) return std::optional<Frame>();
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    if (rest.size() < kHeadBytes) return std::optional<Frame>();
    std::uint32_t length = 0;
    std::uint8_t type = 0;
    const bool whole = ByteReader(rest)(length, type);
    if (!whole || length > kMostFrameBytes || type < kFirstType || type > kLastType) {
        return fail("what came is no frame of dasgd");
    }
    if (rest.size() < kHeadBytes + length) return std::optional<Frame>();
    at_ += kHeadBytes + length;
    return std::optional(Frame{static_cast<FrameType>(type), std::string(rest.substr(kHeadBytes, length))});
}

std::string encodeFrame(FrameType type, std::string_view body) {
    std::string bytes;
    bytes.reserve(kHeadBytes + body.size());
    ByteWriter{bytes}(static_cast<std::uint32_t>(body.size()), static_cast<std::uint8_t>(type));
    return bytes.append(body);
}

FrameChannel::FrameChannel(int in, int out, Noise noise)
    : in_(in),
      out_(out),
      inFlags_(dontBlock(in)),
      outFlags_(dontBlock(out)),
      decoder_(noise),
      heardAt_(steady_clock::now()),
      sentAt_(steady_clock::now()) {}

// A terminal's descriptor is shared with the shell.
FrameChannel::~FrameChannel() {
    ::fcntl(out_, F_SETFL, outFlags_);
    ::fcntl(in_, F_SETFL, inFlags_);
}

milliseconds FrameChannel::silence() const { return since(heardAt_); }
milliseconds FrameChannel::sinceSent() const { return since(sentAt_); }

void FrameChannel::send(FrameType type, std::string_view body) {
    if (sent_ == unsent_.size()) {
        unsent_.clear();
        sent_ = 0;
    }
    unsent_ += encodeFrame(type, body);
}

void FrameChannel::pump(milliseconds patience, const std::vector<int>& others) {
    std::vector<pollfd> files;
    // Where a whole frame lies here, it is taken before more is read.
    const bool reads = !closed_ && decoder_.heldBytes() <= kMostFrameBytes + kHeadBytes;
    files.push_back({reads ? in_ : -1, POLLIN, 0});
    files.push_back({unsentBytes() > 0 && !closed_ ? out_ : -1, POLLOUT, 0});
    for (const int other : others) files.push_back({other, POLLIN, 0});
    if (::poll(files.data(), files.size(), static_cast<int>(patience.count())) <= 0) return;
    if (files[0].revents != 0) readSome();
    if (files[1].revents != 0) writeSome();
}

Status FrameChannel::flush(milliseconds patience) {
    const auto until = steady_clock::now() + patience;
    while (unsentBytes() > 0) {
        if (closed_) return fail("the other end is gone");
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        if (left.count() <= 0) return fail("the other end takes nothing any more");
        pump(left);
    }
    return {};
}

void FrameChannel::readSome() {
    std::array<char, kReadBytes> buffer{};
    const ssize_t got = ::read(in_, buffer.data(), buffer.size());
    if (got > 0) {
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        decoder_.add(bytes);
        firstBytes_.append(bytes.substr(0, kMostFirstBytes - std::min(kMostFirstBytes, firstBytes_.size())));
        heardAt_ = steady_clock::now();
        return;
    }
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    closed_ = true;
}

void FrameChannel::writeSome() {
    const ssize_t put = ::write(out_, unsent_.data() + sent_, unsent_.size() - sent_);
    if (put > 0) {
        sent_ += static_cast<std::size_t>(put);
        sentAt_ = steady_clock::now();
        return;
    }
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    closed_ = true;
}

}  // namespace dasgd::experiments
