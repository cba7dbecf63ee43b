// Frames over two file descriptors, as a process and the one that started it exchange them, over the user's ssh or on
// one machine: a length (4 bytes, little-endian), a type (1 byte) and a body. storage/format.md, "Between two
// workspaces", describes the types and bodies of a mirror.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd::experiments {

enum class FrameType : std::uint8_t {
    Hello = 1,  // first frame of the end that was started: kGreeting, then what belongs to the protocol
    Known,      // of the workspace that takes, once: what it has (storage/mirror/mirror_codec.h)
    Part,       // number (8 bytes), a part of a run
    Taken,      // the number of the newest part that is committed
    CaughtUp,   // there is nothing more at present
    Alive,      // every few seconds where there is nothing else to say
    Refusal,    // why it ends, for people
    Document    // an object of JSON (experiments/cluster/host/host_messages.h)
};
inline constexpr std::string_view kGreeting = "DASGDMIR";

struct Frame {
    FrameType type{};
    std::string body;
};

inline constexpr std::size_t kMostFrameBytes = std::size_t{64} << 20;

// What comes before the first frame: shells and their start-up files print things. Where it is skipped, the first frame
// is a Hello.
enum class Noise { Refused, Skipped };

// Takes bytes apart into frames. It holds what has arrived and no more, whatever length a frame announces.
class FrameDecoder {
public:
    explicit FrameDecoder(Noise noise = Noise::Refused) : noise_(noise) {}
    void add(std::string_view bytes);
    // nullopt: the next frame is not whole yet. Errors, from then on every time: a length or a type that there is none
    // of.
    [[nodiscard]] Result<std::optional<Frame>> next();
    [[nodiscard]] std::size_t heldBytes() const { return buffer_.size() - at_; }

private:
    bool skipNoise();

    Noise noise_;
    std::string buffer_;
    std::size_t at_ = 0;  // before it are frames that were handed out
};

[[nodiscard]] std::string encodeFrame(FrameType type, std::string_view body);

// Sends and receives frames over two descriptors, on one thread. The caller keeps the descriptors, which are
// non-blocking while the channel lives.
class FrameChannel {
public:
    FrameChannel(int in, int out, Noise noise = Noise::Refused);
    ~FrameChannel();
    FrameChannel(const FrameChannel&) = delete;
    FrameChannel& operator=(const FrameChannel&) = delete;

    void send(FrameType type, std::string_view body = {});
    // Moves bytes in both directions; returns once something has come, could be sent or is to be read from `others`, at
    // the latest after `patience`.
    void pump(std::chrono::milliseconds patience, const std::vector<int>& others = {});
    // Pumps until all is sent. Errors: the other side is gone, or has not taken everything within `patience`.
    Status flush(std::chrono::milliseconds patience);
    // A frame that has come. Errors: as FrameDecoder::next.
    [[nodiscard]] Result<std::optional<Frame>> receive() { return decoder_.next(); }

    // The other side is gone; what it sent before may still be received.
    [[nodiscard]] bool closed() const { return closed_; }
    [[nodiscard]] std::size_t unsentBytes() const { return unsent_.size() - sent_; }
    // Since bytes came, and since the newest ones were sent.
    [[nodiscard]] std::chrono::milliseconds silence() const;
    [[nodiscard]] std::chrono::milliseconds sinceSent() const;
    // The first bytes received if they were no frame, for a message.
    [[nodiscard]] const std::string& firstBytes() const { return firstBytes_; }

private:
    void readSome();
    void writeSome();

    int in_, out_;
    int inFlags_, outFlags_;
    FrameDecoder decoder_;
    std::string unsent_, firstBytes_;
    std::size_t sent_ = 0;
    bool closed_ = false;
    std::chrono::steady_clock::time_point heardAt_, sentAt_;
};

}  // namespace dasgd::experiments
