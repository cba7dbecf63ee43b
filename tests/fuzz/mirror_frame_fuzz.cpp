// Bytes over the connection of a mirror: frames, parts of runs, and the other side's list of what it has.
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "experiments/transport/mirror/hello.h"
#include "experiments/transport/pipe/frame_channel.h"
#include "storage/mirror/mirror_codec.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace dasgd;

void readBody(const experiments::Frame& frame) {
    switch (frame.type) {
        case experiments::FrameType::Hello: static_cast<void>(experiments::Hello::of(frame.body)); return;
        case experiments::FrameType::Known: {
            const auto known = storage::decodeKnown(frame.body);
            if (known) fuzz::require(storage::encode(*known) == frame.body, "what is known is what was sent");
            return;
        }
        case experiments::FrameType::Part: {
            if (frame.body.size() < 8) return;
            const std::string bytes = frame.body.substr(8);
            const auto part = storage::decodePart(bytes);
            if (part) fuzz::require(storage::encode(*part) == bytes, "a part that is taken is what was sent");
            return;
        }
        default: static_cast<void>(numberOf(frame.body));
    }
}

}  // namespace

// The first byte says in what pieces the others arrive.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t piece = 1 + data[0];
    experiments::FrameDecoder decoder;
    std::string again;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        decoder.add(bytes.substr(at, piece));
        for (;;) {
            const auto frame = decoder.next();
            if (!frame) return 0;
            if (!*frame) break;
            again += experiments::encodeFrame((*frame)->type, (*frame)->body);
            fuzz::require(bytes.starts_with(again), "frames are what was sent");
            readBody(**frame);
        }
        fuzz::require(decoder.heldBytes() <= size, "no more is held than came");
    }
    return 0;
}
