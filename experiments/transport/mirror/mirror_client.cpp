#include "experiments/transport/mirror/mirror_client.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/base/text.h"
#include "experiments/transport/mirror/hello.h"
#include "experiments/transport/pipe/frame_channel.h"
#include "storage/base/schema.h"
#include "storage/mirror/mirror_codec.h"
#include "storage/mirror/mirror_sink.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kAlivePause = milliseconds(5000);
constexpr auto kLook = milliseconds(500);
constexpr auto kPatienceWithHello = milliseconds(180'000);  // someone may have to type a password
constexpr Ns kPatienceWithEnd = 2'000'000'000;
constexpr int kNoSuchProgram = 127;
constexpr int kMostDamaged = 3;  // connections in a row that end with something damaged, and store nothing

// How a connection ended.
struct MirrorEnd {
    enum class Kind { Stopped, Done, Lost, Damaged, Refused };
    Kind kind{};
    std::string why;
};

// Lines that come over a pipe, for people.
class SaidLines {
public:
    explicit SaidLines(const MirrorOptions& options) : options_(options) {}
    void read(int file) {
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::read(file, buffer.data(), buffer.size())) > 0;) {
            add(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
        }
    }
    [[nodiscard]] const std::string& last() const { return last_; }

private:
    void add(std::string_view bytes) {
        for (const char each : bytes) {
            if (each != '\n' && part_.size() < 1000) {
                part_ += each == '\r' ? ' ' : each;
                continue;
            }
            last_ = printableWords(std::exchange(part_, {}));
            if (options_.said && !last_.empty()) options_.said(last_);
        }
    }
    const MirrorOptions& options_;
    std::string part_, last_;
};

class MirrorClient {
public:
    MirrorClient(const MirrorOptions& options, StopSignals& signals) : options_(options), signals_(signals) {}

    Status run() {
        auto pause = options_.firstPause;
        for (;;) {
            greeted_ = caughtUp_ = false;
            const std::int64_t before = stored();
            const MirrorEnd end = connection();
            if (end.kind == MirrorEnd::Kind::Stopped || end.kind == MirrorEnd::Kind::Done) return {};
            if (end.kind == MirrorEnd::Kind::Refused || !everGreeted_) return fail(end.why);
            damaged_ = end.kind != MirrorEnd::Kind::Damaged ? 0 : stored() > before ? 1 : damaged_ + 1;
            if (damaged_ == kMostDamaged) {
                return fail(end.why + "; the last " + std::to_string(kMostDamaged) + " connections to " +
                            options_.remote.target + " ended so");
            }
            if (caughtUp_ || stored() > before) pause = options_.firstPause;
            tell(MirrorNews::State::Lost, end.why, pause);
            if (stoppedWithin(pause)) return {};
            pause = std::min(2 * pause, options_.longestPause);
        }
    }

private:
    [[nodiscard]] std::int64_t stored() const { return sink_ ? sink_->stored() : 0; }

    MirrorEnd connection() {
        char interval[32];
        std::snprintf(interval, sizeof interval, "%.3f", options_.intervalS);
        auto program =
            startRemote(options_.remote, {"serve", "--stdio", "-w", options_.remote.path, "--interval", interval});
        if (!program) return {MirrorEnd::Kind::Refused, program.error().message};
        SaidLines said(options_);
        MirrorEnd end;
        bool silent = false;
        {
            FrameChannel channel(program->out(), program->in.get());
            end = converse(channel, *program, said);
            silent = channel.silence() > options_.patience;
            if (end.kind == MirrorEnd::Kind::Lost && !greeted_ && !channel.firstBytes().empty()) {
                return {end.kind, "what the shell on " + options_.remote.target + " prints comes before the runs: '" +
                                      printable(channel.firstBytes()) +
                                      "'; its start-up files must print nothing without a terminal"};
            }
        }
        program->in = Descriptor();
        if (end.kind != MirrorEnd::Kind::Lost || silent) return end;
        const auto exit = program->process.awaitEnd(kPatienceWithEnd);
        said.read(program->errors.get());
        if (end.why.empty()) end.why = whyOf(exit, said);
        return end;
    }

    std::string whyOf(const std::optional<ProcessExit>& exit, const SaidLines& said) const {
        const std::string where = options_.remote.target;
        if (exit && exit->signal == 0 && exit->code == kNoSuchProgram) {
            return "there is no '" + options_.remote.program + "' on " + where + " (" + said.last() +
                   "); say where it is with --dasgd PATH";
        }
        std::string why = "the connection to " + where + " ended";
        if (exit) why += " (" + describeExit(*exit) + ")";
        return said.last().empty() ? why : why + ": " + said.last();
    }

    MirrorEnd converse(FrameChannel& channel, RemoteProgram& program, SaidLines& said) {
        const auto began = steady_clock::now();
        for (;;) {
            if (isToEnd()) return {MirrorEnd::Kind::Stopped, ""};
            for (;;) {
                auto frame = channel.receive();
                if (!frame && greeted_) return {MirrorEnd::Kind::Damaged, frame.error().message};
                if (!frame) return {MirrorEnd::Kind::Lost, ""};
                if (!*frame) break;
                if (auto end = take(**frame, channel)) return *end;
                if (isToEnd()) return {MirrorEnd::Kind::Stopped, ""};
            }
            if (channel.closed()) return {MirrorEnd::Kind::Lost, ""};
            if (greeted_ && channel.sinceSent() > kAlivePause) channel.send(FrameType::Alive);
            channel.pump(kLook, {signals_.fd(), program.errors.get()});
            said.read(program.errors.get());
            // After the pump: what came while records were stored is read by now.
            const auto patience = greeted_ ? options_.patience : kPatienceWithHello;
            if (channel.silence() > patience || (!greeted_ && steady_clock::now() - began > patience)) {
                return {MirrorEnd::Kind::Lost, "nothing was heard from " + options_.remote.target + " for " +
                                                   std::to_string(patience.count() / 1000) + " s"};
            }
        }
    }

    std::optional<MirrorEnd> take(const Frame& frame, FrameChannel& channel) {
        if (frame.type == FrameType::Refusal) return MirrorEnd{kindOfRefusal(), printable(frame.body)};
        if (!greeted_) return greet(frame, channel);
        if (frame.type == FrameType::Part) return store(frame.body, channel);
        if (frame.type == FrameType::CaughtUp) {
            // Once a connection: a live run is caught up with many times a second.
            if (!std::exchange(caughtUp_, true)) tell(MirrorNews::State::CaughtUp);
            if (options_.once) return MirrorEnd{MirrorEnd::Kind::Done, ""};
        }
        return stored(sink_->heard());
    }

    // On a full disk, or while another process holds the workspace, a mirror waits; who asked for one pass is told.
    std::optional<MirrorEnd> stored(const Status& done) const {
        if (done) return std::nullopt;
        return MirrorEnd{options_.once ? MirrorEnd::Kind::Refused : MirrorEnd::Kind::Lost, done.error().message};
    }

    // A failure after the greeting may be temporary.
    [[nodiscard]] MirrorEnd::Kind kindOfRefusal() const {
        return greeted_ ? MirrorEnd::Kind::Lost : MirrorEnd::Kind::Refused;
    }

    std::optional<MirrorEnd> greet(const Frame& frame, FrameChannel& channel) {
        const auto hello = frame.type == FrameType::Hello ? Hello::of(frame.body) : std::nullopt;
        if (!hello) return MirrorEnd{MirrorEnd::Kind::Lost, ""};
        const auto refused = [](const std::string& why) { return MirrorEnd{MirrorEnd::Kind::Refused, why}; };
        const auto schema = static_cast<std::uint32_t>(storage::labSchema().version);
        if (hello->protocol != Hello::kProtocol || hello->schema != schema) {
            const bool older = hello->protocol < Hello::kProtocol || hello->schema < schema;
            return refused("the dasgd on " + options_.remote.target + " is " + (older ? "older" : "newer") +
                           " than this one (schema version " + std::to_string(hello->schema) + ", here " +
                           std::to_string(schema) + "); update the one that is older");
        }
        if (!identity_.empty() && identity_ != hello->workspace) {
            return refused("there is another workspace by now at " + options_.remote.url() +
                           "; start the mirror again");
        }
        identity_ = hello->workspace;
        if (const Status opened = openSink(); !opened) return refused(opened.error().message);
        auto known = sink_->known();
        if (!known) return refused(known.error().message);
        channel.send(FrameType::Known, storage::encode(*known));
        greeted_ = everGreeted_ = true;
        tell(MirrorNews::State::Connected);
        return std::nullopt;
    }

    Status openSink() {
        if (sink_) return {};
        DASGD_ASSIGN(sink_, storage::MirrorSink::open(options_.workspace, {.workspace = identity_,
                                                                           .origin = options_.remote.url(),
                                                                           .program = options_.remote.program}));
        return {};
    }

    std::optional<MirrorEnd> store(std::string_view body, FrameChannel& channel) {
        const auto number = numberOf(body.substr(0, sizeof(std::uint64_t)));
        if (!number) return MirrorEnd{MirrorEnd::Kind::Damaged, "a part of a run is damaged"};
        const auto part = storage::decodePart(body.substr(sizeof(std::uint64_t)));
        if (!part) return MirrorEnd{MirrorEnd::Kind::Damaged, part.error().message};
        if (const Status fits = sink_->check(*part); !fits) {
            return MirrorEnd{MirrorEnd::Kind::Refused, fits.error().message};
        }
        if (auto failed = stored(sink_->apply(*part))) return failed;
        channel.send(FrameType::Taken, numberBytes(*number));
        return std::nullopt;
    }

    void tell(MirrorNews::State state, const std::string& why = {}, milliseconds again = {}) const {
        if (!options_.news) return;
        options_.news({.state = state,
                       .records = stored(),
                       .runs = sink_ ? sink_->touched().size() : 0,
                       .why = why,
                       .again = again});
    }

    bool stoppedWithin(milliseconds pause) {
        const auto until = steady_clock::now() + pause;
        while (steady_clock::now() < until) {
            if (isToEnd()) return true;
            ::usleep(20'000);
        }
        return isToEnd();
    }

    bool isToEnd() {
        if (signals_.count() > 0) return true;
        if (options_.owner < 0) return false;
        pollfd owner{options_.owner, POLLIN, 0};
        char byte = 0;
        return ::poll(&owner, 1, 0) > 0 && ::read(options_.owner, &byte, 1) <= 0;
    }

    const MirrorOptions& options_;
    StopSignals& signals_;
    std::unique_ptr<storage::MirrorSink> sink_;
    std::string identity_;
    bool greeted_ = false, everGreeted_ = false, caughtUp_ = false;
    int damaged_ = 0;  // connections in a row
};

}  // namespace

Status keepMirror(const MirrorOptions& options, StopSignals& signals) { return MirrorClient(options, signals).run(); }

}  // namespace dasgd::experiments
