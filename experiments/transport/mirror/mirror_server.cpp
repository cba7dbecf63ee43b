#include "experiments/transport/mirror/mirror_server.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/transport/mirror/hello.h"
#include "experiments/transport/pipe/frame_channel.h"
#include "storage/base/schema.h"
#include "storage/mirror/mirror_codec.h"
#include "storage/mirror/workspace_source.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Parts that are under way: enough for a link of 100 ms, little enough for memory.
constexpr std::uint64_t kWindow = 4;
constexpr auto kPulse = milliseconds(2000);
constexpr auto kPatienceWithRefusal = milliseconds(5000);

class MirrorServer {
public:
    MirrorServer(const MirrorServerOptions& options, FrameChannel& channel, storage::WorkspaceSource& source)
        : options_(options), channel_(channel), source_(source) {}

    Status run(StopSignals& signals) {
        while (signals.count() == 0) {
            DASGD_TRY(takeFrames());
            if (channel_.closed()) return {};
            DASGD_ASSIGN(const bool more, offer());
            if (channel_.sinceSent() > kPulse && channel_.unsentBytes() == 0) channel_.send(FrameType::Alive);
            if (channel_.silence() > options_.patience) return fail("nothing was heard from the other side any more");
            channel_.pump(more ? milliseconds(0) : std::min(options_.interval, kPulse), {signals.fd()});
        }
        return {};
    }

private:
    Status takeFrames() {
        for (;;) {
            DASGD_ASSIGN(const auto frame, channel_.receive());
            if (!frame) return {};
            if (frame->type == FrameType::Known && !started_) {
                DASGD_ASSIGN(const auto known, storage::decodeKnown(frame->body));
                source_.start(known);
                started_ = true;
            } else if (frame->type == FrameType::Taken) {
                const auto number = numberOf(frame->body);
                if (!number || *number > told_) return fail("a part was taken that was not told");
                taken_ = *number;
            } else if (frame->type != FrameType::Alive) {
                return fail("a frame came that has no place here");
            }
        }
    }

    // Sends the next part; true if there may be another one at once.
    Result<bool> offer() {
        if (!started_ || told_ - taken_ >= kWindow || channel_.unsentBytes() > 0) return false;
        if (steady_clock::now() < lookAt_) return false;
        DASGD_ASSIGN(const auto part, source_.next());
        if (!part) {
            lookAt_ = steady_clock::now() + options_.interval;
            if (source_.isCurrent() && !std::exchange(caughtUp_, true)) channel_.send(FrameType::CaughtUp);
            return false;
        }
        if (part->empty()) return true;
        caughtUp_ = false;
        channel_.send(FrameType::Part, numberBytes(++told_) + storage::encode(*part));
        return true;
    }

    const MirrorServerOptions& options_;
    FrameChannel& channel_;
    storage::WorkspaceSource& source_;
    bool started_ = false, caughtUp_ = false;
    std::uint64_t told_ = 0, taken_ = 0;
    steady_clock::time_point lookAt_;
};

Status refuseTo(FrameChannel& channel, const Error& error) {
    channel.send(FrameType::Refusal, error.message);
    static_cast<void>(channel.flush(kPatienceWithRefusal));
    return tl::unexpected<Error>(error);
}

}  // namespace

Status serveMirror(const MirrorServerOptions& options, int in, int out, StopSignals& signals) {
    FrameChannel channel(in, out);
    auto source = storage::WorkspaceSource::open(options.workspace, storage::WorkspaceSource::Files::ConfigAndLogs);
    if (!source) return refuseTo(channel, source.error());
    const Hello hello{.schema = static_cast<std::uint32_t>(storage::labSchema().version),
                      .workspace = (*source)->identity(),
                      .program = DASGD_VERSION};
    channel.send(FrameType::Hello, hello.bytes());
    const Status served = MirrorServer(options, channel, **source).run(signals);
    return served ? served : refuseTo(channel, served.error());
}

}  // namespace dasgd::experiments
