#include "experiments/worker/stop_relay.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/comm/pending.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr auto kBetweenLooks = milliseconds(100);
constexpr auto kBetweenPolls = std::chrono::microseconds(200);
constexpr const char* kAsked = "stop/asked";
constexpr const char* kStep = "stop/step";

std::string enteredKey(int rank) { return "stop/entered/" + std::to_string(rank); }

Result<std::int64_t> stepOf(const std::string& text) {
    std::int64_t step = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), step);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return step;
    return fail("'" + text + "' is no step; are all ranks of one version?");
}

}  // namespace

// Either hold() sees what is stored here, or this rank sees that it is held.
bool HandGate::goOn(Rank rank, std::int64_t completed) {
    if (page_) page_->publish(rank, completed);
    entered_.store(completed + 1);
    if (!held_.load()) return true;
    return wait(completed);
}

bool HandGate::wait(std::int64_t completed) {
    const auto end = Steady::now() + patience_;
    for (;;) {
        const std::int64_t stop = stop_.load();
        if (stop != kNone) return completed < stop;
        if (givenUp_.load()) {
            const std::lock_guard guard(mutex_);
            throw CommError("a stop was asked for, and the ranks did not agree on its step: " + reason_);
        }
        if (Steady::now() > end) throw CommError("a stop was asked for, and no rank named a step to stop at in time");
        std::this_thread::sleep_for(kBetweenPolls);
    }
}

void HandGate::leave(Rank rank) {
    if (page_) page_->leave(rank);
}

std::int64_t HandGate::hold() {
    held_.store(true);
    return entered_.load();
}

void HandGate::giveUp(const std::string& reason) {
    const std::lock_guard guard(mutex_);
    reason_ = reason;
    givenUp_.store(true);
}

StopRelay::StopRelay(Rendezvous store, HandGate& gate, Rank rank, int size, std::function<bool()> asked,
                     milliseconds patience)
    : store_(std::move(store)),
      gate_(gate),
      rank_(rank),
      size_(size),
      asked_(std::move(asked)),
      patience_(patience),
      thread_([this] { run(); }) {}

StopRelay::~StopRelay() {
    {
        const std::lock_guard guard(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void StopRelay::run() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
        lock.unlock();
        const Result<bool> asked = isAsked();
        // Without the store nobody can ask: rank 0, which serves it, has ended or died, and the ranks' own
        // communication will say so.
        if (!asked) return;
        if (*asked) {
            if (const Status agreed = agree(); !agreed) gate_.giveUp(agreed.error().message);
            return;
        }
        lock.lock();
        wake_.wait_for(lock, kBetweenLooks, [this] { return ended_; });
    }
}

Result<bool> StopRelay::isAsked() {
    if (!asked_()) return store_.has(kAsked);
    DASGD_TRY(store_.set(kAsked, std::to_string(rank_.value())));
    return true;
}

Status StopRelay::agree() {
    DASGD_TRY(store_.set(enteredKey(rank_.value()), std::to_string(gate_.hold())));
    if (rank_ == Rank{0}) {
        std::int64_t furthest = 0;
        for (int rank = 0; rank < size_; ++rank) {
            const auto text = store_.get(enteredKey(rank), patience_);
            if (!text) return fail("rank " + std::to_string(rank) + " did not answer: " + text.error().message);
            DASGD_ASSIGN(const std::int64_t entered, stepOf(*text));
            furthest = std::max(furthest, entered);
        }
        DASGD_TRY(store_.set(kStep, std::to_string(furthest)));
    }
    DASGD_ASSIGN(const std::string text, store_.get(kStep, patience_));
    DASGD_ASSIGN(const std::int64_t step, stepOf(text));
    gate_.stopAt(step);
    return {};
}

}  // namespace dasgd::experiments
