#include "experiments/transport/records/record_forwarder.h"

#include <memory>
#include <optional>

#include "core/journal/journal.h"
#include "core/journal/record_frame.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/wire.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{50};        // between two looks into a journal that had nothing new
constexpr milliseconds kGather{100};     // between two frames that are not full
constexpr milliseconds kAskAgain{1000};  // time without an answer until a question is repeated
constexpr milliseconds kGoodbye{1000};   // time that the last messages have to leave
constexpr std::size_t kRecordsAtOnce = 1024;

class Forwarder {
public:
    Forwarder(const ForwardTask& task, const RunSecret& secret) : task_(task) {
        setLimits(socket_);
        connectWith(socket_, secret.collectorKeys().publicKey, secret.forwarderKeys());
        socket_.set(zmq::sockopt::reconnect_ivl, 100);
        socket_.set(zmq::sockopt::reconnect_ivl_max, 2000);
        // Messages for a lost connection are dropped: the collector asks for them again.
        socket_.set(zmq::sockopt::immediate, true);
        socket_.set(zmq::sockopt::ipv6, task.endpoint.find('[') != std::string::npos);
        socket_.connect(task.endpoint);
    }

    Status run(const std::atomic<bool>& stop) {
        auto answered = steady_clock::now();
        while (!stop) {
            std::error_code ignored;
            const bool there = std::filesystem::exists(task_.journal, ignored);
            // Asked before the journal is read, so that nothing written in between is missed.
            const bool ended = there && !JournalWriter::isAlive(task_.journal);
            if (const auto head = receive()) {
                answered = steady_clock::now();
                if (head->type == WireHead::Type::Done) {
                    sayGoodbye();
                    return damaged_ ? Status() : removeJournal();
                }
                DASGD_TRY(answer(*head, ended));
            } else if (steady_clock::now() - asked_ > kAskAgain) {
                say(WireHead::Type::Hello, {}, task_.runId);
            } else if (wanted_ && !waits_) {
                DASGD_TRY(offer(ended));
            }
            if (there && !ended) answered = steady_clock::now();
            if (steady_clock::now() - answered > task_.patience) {
                return fail("the collector of " + task_.runId + " at " + task_.endpoint +
                            " does not answer; what rank " + std::to_string(task_.rank) + " recorded is kept in " +
                            task_.journal.string());
            }
        }
        return fail("asked to stop");
    }

private:
    std::optional<WireHead> receive() {
        zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        zmq::poll(&item, 1, kLook);
        const auto message = receiveNow(socket_);
        if (!message || message->size() != 2) return std::nullopt;
        const auto head = WireHead::of(message->front());
        const bool ours = head && head->rank == static_cast<std::uint32_t>(task_.rank) &&
                          (head->type == WireHead::Type::Wanted || head->type == WireHead::Type::Done);
        return ours ? head : std::nullopt;
    }

    Status answer(const WireHead& head, bool ended) {
        waits_ = false;
        if (!reader_ || !wanted_ || wanted_->round != head.round || at_ != head.after) {
            reader_.emplace(task_.journal, head.after);
            at_ = head.after;
        }
        wanted_ = head;
        reader_->release(head.committed);
        return offer(ended);
    }

    Status offer(bool ended) {
        if (wanted_->room == 0) return {};
        // A few records at a time, as fast as answers come, would cost both ends more than the records do.
        if (!ended && !behind_ && steady_clock::now() - offered_ < kGather) return {};
        std::string frame;
        std::uint64_t last = at_;
        while (frame.size() < kFrameBytes) {
            DASGD_ASSIGN(const std::size_t got, reader_->read(kRecordsAtOnce, [&](const EventRecord& record) {
                appendRecord(frame, record);
                last = record.sequence;
            }));
            if (got == 0) break;
        }
        if (!frame.empty()) {
            if (!say(WireHead::Type::Records, at_, frame)) {
                reader_.emplace(task_.journal, at_);  // the next try reads the records again
                return {};
            }
            at_ = last;
            offered_ = steady_clock::now();
            behind_ = frame.size() >= kFrameBytes;
        } else if (ended) {
            std::string damage;
            damaged_ = reader_->damaged();
            if (damaged_) {
                damage = "the journal of rank " + std::to_string(task_.rank) + " is damaged after record " +
                         std::to_string(at_) + ", what follows is not read";
            }
            say(WireHead::Type::End, at_, damage);
        } else {
            return {};
        }
        waits_ = true;
        return {};
    }

    bool say(WireHead::Type type, std::optional<std::uint64_t> after, const std::string& body) {
        const WireHead head{.type = type,
                            .rank = static_cast<std::uint32_t>(task_.rank),
                            .round = wanted_ ? wanted_->round : 0,
                            .after = after.value_or(0)};
        asked_ = steady_clock::now();
        return sendNow(socket_, {head.bytes(), body});
    }

    // Until it comes the collector stays, to say again what may not have come here.
    void sayGoodbye() {
        socket_.set(zmq::sockopt::linger, static_cast<int>(kGoodbye.count()));
        say(WireHead::Type::Goodbye, {}, "");
    }

    Status removeJournal() {
        std::error_code error;
        std::filesystem::remove_all(task_.journal, error);
        if (error) return fail("cannot remove the journal " + task_.journal.string() + ": " + error.message());
        return {};
    }

    const ForwardTask& task_;
    zmq::context_t context_{1};
    zmq::socket_t socket_{context_, zmq::socket_type::dealer};
    std::optional<JournalReader> reader_;
    std::optional<WireHead> wanted_;
    std::uint64_t at_ = 0;  // the last record that was sent, or is not wanted any more
    bool waits_ = false;    // for an answer
    bool behind_ = false;   // the last frame was full
    steady_clock::time_point offered_{};
    bool damaged_ = false;  // the journal stays for a person
    steady_clock::time_point asked_{};
};

}  // namespace

Status forwardJournal(const ForwardTask& task, const RunSecret& secret, const std::atomic<bool>& stop) {
    std::error_code ignored;
    if (task.begun && !std::filesystem::exists(task.journal, ignored)) return {};
    try {
        return Forwarder(task, secret).run(stop);
    } catch (const zmq::error_t& error) {
        return fail("cannot reach the collector at " + task.endpoint + ": " + error.what());
    }
}

}  // namespace dasgd::experiments
