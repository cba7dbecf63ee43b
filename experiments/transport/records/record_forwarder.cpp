#include "experiments/transport/records/record_forwarder.h"

#include <optional>
#include <thread>
#include <utility>

#include "core/journal/journal.h"
#include "core/journal/record_frame.h"
#include "experiments/base/text.h"
#include "experiments/transport/curve/curve_client.h"
#include "experiments/transport/curve/curve_server.h"
#include "experiments/transport/records/record_intake.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{50};        // between two looks into a journal that had nothing new
constexpr milliseconds kGather{100};     // between two frames that are not full
constexpr milliseconds kRoom{20};        // between two questions where there is no room
constexpr milliseconds kAskAgain{1000};  // between two questions what is committed
constexpr milliseconds kGoodbye{1000};   // for the last word to arrive
constexpr std::size_t kRecordsAtOnce = 1024;
constexpr std::chrono::hours kForEver{24 * 365};  // what ends it is looked at meanwhile

// What the collector wants next.
struct Wanted {
    std::uint64_t round = 0, after = 0;
    bool room = false;
};

class Forwarder {
public:
    Forwarder(const ForwardTask& task, const RunSecret& secret, const std::atomic<bool>& stop)
        : task_(task), stop_(stop), there_(task.endpoint, secret) {}

    Status run() {
        while (!isOver()) {
            // Asked before the journal is read, so that nothing written in between is missed.
            const bool ended = hasJournal() && !JournalWriter::isAlive(task_.journal);
            DASGD_TRY(turn(ended));
            if (!done_) continue;
            // Until it comes the collector stays, to say again what may not have come here.
            static_cast<void>(there_.ask(requestOf(record_post::kGoodbye), kGoodbye));
            return damaged_ ? Status() : removeJournal();
        }
        if (stop_) return fail("asked to stop");
        return fail("the collector of " + task_.runId + " at " + task_.endpoint + " does not answer; what rank " +
                    std::to_string(task_.rank) + " recorded is kept in " + task_.journal.string());
    }

private:
    [[nodiscard]] bool hasJournal() const {
        std::error_code ignored;
        return std::filesystem::exists(task_.journal, ignored);
    }
    [[nodiscard]] bool isOver() {
        if (hasJournal() && JournalWriter::isAlive(task_.journal)) heard_ = steady_clock::now();
        return stop_ || steady_clock::now() - heard_ > task_.patience;
    }

    // One question, or a rest where there is none to ask.
    Status turn(bool ended) {
        const auto since = steady_clock::now() - asked_;
        if (!wanted_) return ask(requestOf(record_post::kHello, {task_.runId}));
        if (wanted_->room && (behind_ || since >= kGather || (ended && !told_))) {
            DASGD_ASSIGN(const Parts next, nextOf(ended));
            if (!next.empty()) return ask(next);
        }
        if (since >= (wanted_->room ? kAskAgain : kRoom)) {
            return ask(requestOf(record_post::kHello, {task_.runId}));
        }
        std::this_thread::sleep_for(wanted_->room ? kLook : kRoom);
        return {};
    }

    // The next records, the end, or {} where there are none.
    Result<Parts> nextOf(bool ended) {
        std::string frame;
        std::uint64_t last = at_;
        while (frame.size() < record_post::kFrameBytes) {
            DASGD_ASSIGN(const std::size_t got, reader_->read(kRecordsAtOnce, [&](const EventRecord& record) {
                appendRecord(frame, record);
                last = record.sequence;
            }));
            if (got == 0) break;
        }
        behind_ = frame.size() >= record_post::kFrameBytes;
        const std::string round = std::to_string(wanted_->round), after = std::to_string(std::exchange(at_, last));
        if (!frame.empty()) return requestOf(record_post::kRecords, {round, after, std::move(frame)});
        if (!ended) return Parts();
        told_ = true;
        damaged_ = reader_->damaged();
        return requestOf(record_post::kEnd,
                         {round, after,
                          damaged_ ? "the journal of rank " + std::to_string(task_.rank) + " is damaged after record " +
                                         after + ", what follows is not read"
                                   : ""});
    }

    [[nodiscard]] Parts requestOf(char operation, Parts operands = {}) const {
        operands.insert(operands.begin(), {std::string(1, operation), std::to_string(task_.rank)});
        return operands;
    }

    Status ask(const Parts& request) {
        const auto answer = there_.ask(request, kForEver, [this] { return isOver(); });
        asked_ = steady_clock::now();
        if (!answer) return {};
        const char kind = answer->front().front();
        done_ = kind == record_post::kDone;
        const auto number = [&](std::size_t part) {
            return part < answer->size() ? static_cast<std::uint64_t>(decimalOf((*answer)[part]).value_or(0)) : 0;
        };
        const Wanted wanted{.round = number(1), .after = number(2), .room = kind == kYes};
        if (done_) return {};
        // Of another run, or not collecting yet: that may change.
        if (kind == kRefused || wanted.round == 0) {
            std::this_thread::sleep_for(kLook);
            return {};
        }
        heard_ = asked_;
        if (!wanted_ || wanted_->round != wanted.round || at_ != wanted.after) {
            reader_.emplace(task_.journal, wanted.after);
            at_ = wanted.after;
            told_ = false;
        }
        wanted_ = wanted;
        reader_->release(number(3));
        return {};
    }

    Status removeJournal() {
        std::error_code error;
        std::filesystem::remove_all(task_.journal, error);
        if (error) return fail("cannot remove the journal " + task_.journal.string() + ": " + error.message());
        return {};
    }

    const ForwardTask& task_;
    const std::atomic<bool>& stop_;
    CurveClient there_;
    std::optional<JournalReader> reader_;
    std::optional<Wanted> wanted_;
    std::uint64_t at_ = 0;  // the last record that was sent, or is not wanted any more
    bool behind_ = false;   // the last frame was full
    bool told_ = false;     // that there is nothing after at_; told again until all is committed
    bool done_ = false;
    bool damaged_ = false;  // the journal stays for a person
    steady_clock::time_point asked_{}, heard_ = steady_clock::now();
};

}  // namespace

Status forwardJournal(const ForwardTask& task, const RunSecret& secret, const std::atomic<bool>& stop) {
    std::error_code ignored;
    if (task.begun && !std::filesystem::exists(task.journal, ignored)) return {};
    try {
        return Forwarder(task, secret, stop).run();
    } catch (const zmq::error_t& error) {
        return fail("cannot reach the collector at " + task.endpoint + ": " + error.what());
    }
}

}  // namespace dasgd::experiments
