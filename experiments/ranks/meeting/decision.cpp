#include "experiments/ranks/meeting/decision.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstLook{10}, kLongestLook{100}, kLongestLookAhead{500}, kFarewell{3000};
constexpr milliseconds kSlack{5000};  // the others wait longer than rank 0, to hear why it gave up
constexpr int kWordsOfPatience = 8;   // of rank 0, that something moves, at most

// A text as it is in the store, and back.
std::string toStored(const Result<std::string>& said) { return said ? "+" + *said : "-" + said.error().message; }
Result<std::string> fromStored(const std::string& text) {
    if (text.starts_with('+')) return text.substr(1);
    return fail(text.substr(std::min<std::size_t>(text.size(), 1)));
}

}  // namespace

Decision::Decision(const Seat& seat, std::string matter, Options options)
    : seat_(seat), matter_(std::move(matter)), options_(std::move(options)), heard_(steady_clock::now()) {}

Status Decision::say(const Result<std::string>& own) { return seat_.store.set(key("said", seat_.rank), toStored(own)); }

Result<std::string> Decision::saidBy(int rank) {
    DASGD_ASSIGN(const std::string text, await(key("said", rank)));
    known_.push_back(rank);
    return fromStored(text);
}

Result<std::string> Decision::reach(const Result<std::string>& own, const Decide& decide) {
    heard_ = steady_clock::now();
    return seat_.rank == 0 ? lead(own, decide) : follow(own);
}

Result<std::string> Decision::follow(const Result<std::string>& own) {
    DASGD_TRY(say(own));
    Result<std::string> answer = own;
    if (own) {
        const auto told = await(key("told"));
        answer = told ? fromStored(*told) : told;
    }
    if (!answer || options_.brief) static_cast<void>(seat_.store.set(key("read", seat_.rank), "1"));
    return answer;
}

Result<std::string> Decision::lead(const Result<std::string>& own, const Decide& decide) {
    for (int rank = 1; rank < seat_.size && !own; ++rank) known_.push_back(rank);
    Result<std::string> answer = own ? decide() : own;
    DASGD_TRY(seat_.store.set(key("told"), toStored(answer)));
    if (answer && !options_.brief) return answer;
    const auto until = steady_clock::now() + kFarewell;
    for (const int rank : known_) {
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        if (left <= milliseconds(0) || !seat_.store.get(key("read", rank), left)) break;
    }
    return answer;
}

Result<std::string> Decision::await(const std::string& awaited) {
    // Thousands of ranks ask the store of rank 0: those that wait for minutes must not ask often.
    const milliseconds longest = options_.moved || options_.brief ? kLongestLook : kLongestLookAhead;
    for (milliseconds pause = kFirstLook;; pause = std::min(2 * pause, longest)) {
        if (!options_.refusal.empty()) {
            DASGD_ASSIGN(const bool refused, seat_.store.has(options_.refusal));
            if (refused) {
                DASGD_ASSIGN(const std::string why, seat_.store.get(options_.refusal));
                return fail(why);
            }
        }
        DASGD_ASSIGN(const bool there, seat_.store.has(awaited));
        const auto now = steady_clock::now();
        if (!options_.brief && (there || moves())) heard_ = now;
        if (there) {
            passOn();
            return seat_.store.get(awaited);
        }
        const auto until = heard_ + seat_.patience + (seat_.rank == 0 ? milliseconds(0) : kSlack);
        if (now >= until) {
            return fail("'" + awaited + "' did not come, and nothing moved for " +
                        std::to_string(seat_.patience.count()) + " ms");
        }
        std::this_thread::sleep_until(std::min(now + pause, until));
    }
}

bool Decision::moves() {
    if (seat_.rank != 0) {
        if (!seat_.store.has(key("moves", passed_)).value_or(false)) return false;
        ++passed_;
        return true;
    }
    const std::int64_t now = options_.moved ? options_.moved() : moved_;
    if (std::exchange(moved_, now) == now) return false;
    passOn();
    return true;
}

// On rank 0: lets the others know that it is worth waiting.
void Decision::passOn() {
    const auto now = steady_clock::now();
    if (seat_.rank != 0 || options_.brief || now - passedOn_ < seat_.patience / kWordsOfPatience) return;
    if (!seat_.store.set(key("moves", passed_), "1")) return;
    ++passed_;
    passedOn_ = now;
}

}  // namespace dasgd::experiments
