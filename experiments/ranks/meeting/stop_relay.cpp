#include "experiments/ranks/meeting/stop_relay.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "core/comm/pending.h"
#include "experiments/base/text.h"
#include "experiments/ranks/meeting/decision.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr auto kBetweenLooks = milliseconds(100);
constexpr auto kGrace = milliseconds(1000);
constexpr auto kBetweenPolls = std::chrono::microseconds(200);
constexpr const char* kAsked = "stop/asked";

Result<std::int64_t> stepOf(const std::string& text) {
    if (const auto step = decimalOf(text)) return *step;
    return fail("'" + text + "' is no step; are all ranks of one version?");
}

}  // namespace

// Either hold() sees what is stored here, or this rank sees that it is held.
bool StopRelayGate::mayContinue(Rank rank, std::int64_t completed) {
    if (page_) page_->publish(rank, completed);
    entered_.store(completed + 1);
    if (!held_.load()) return true;
    return wait(completed);
}

bool StopRelayGate::wait(std::int64_t completed) {
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

void StopRelayGate::leave(Rank rank) {
    if (page_) page_->leave(rank);
}

std::int64_t StopRelayGate::hold() {
    held_.store(true);
    return entered_.load();
}

void StopRelayGate::giveUp(const std::string& reason) {
    const std::lock_guard guard(mutex_);
    reason_ = reason;
    givenUp_.store(true);
}

// Whatever is outside of it is touched only while `ended_` is not set, under the lock.
class StopRelay::Work {
public:
    Work(Rendezvous store, StopRelayGate& gate, Rank rank, int size, std::function<bool()> asked, milliseconds patience)
        : store_(std::move(store)),
          gate_(gate),
          rank_(rank),
          size_(size),
          asked_(std::move(asked)),
          patience_(patience) {}

    void run() {
        relay();
        const std::lock_guard guard(mutex_);
        over_ = true;
        wake_.notify_all();
    }

    void abandon() {
        const std::lock_guard guard(mutex_);
        abandoned_ = true;
    }

    // True if the thread has finished.
    bool end() {
        std::unique_lock lock(mutex_);
        leaves_ = true;
        wake_.notify_all();
        const milliseconds patience = abandoned_ ? milliseconds(0) : patience_ + kGrace;
        wake_.wait_for(lock, patience, [this] { return over_; });
        ended_ = true;
        return over_;
    }

private:
    void relay() {
        std::unique_lock lock(mutex_);
        while (!leaves_) {
            const bool here = asked_();
            lock.unlock();
            const Result<bool> asked = isAsked(here);
            // A store that does not answer may do so again. Where rank 0, which serves it, has ended or died, the
            // ranks' own communication will say so.
            if (asked.value_or(false)) {
                if (const Status agreed = agree(); !agreed) {
                    onGate([&](StopRelayGate& gate) { gate.giveUp(agreed.error().message); });
                }
                return;
            }
            lock.lock();
            wake_.wait_for(lock, kBetweenLooks, [this] { return leaves_; });
        }
    }

    // True if any rank asked for a stop. Errors: store errors.
    Result<bool> isAsked(bool here) {
        if (!here) return store_.has(kAsked);
        DASGD_TRY(store_.set(kAsked, std::to_string(rank_.value())));
        return true;
    }

    Status agree() {
        std::int64_t own = 0;
        onGate([&](StopRelayGate& gate) { own = gate.hold(); });
        Decision decision({store_, rank_.value(), size_, patience_}, "stop");
        const auto told = decision.reach(std::to_string(own), [&]() -> Result<std::string> {
            std::int64_t furthest = own;
            for (int rank = 1; rank < size_; ++rank) {
                const auto said = decision.saidBy(rank);
                if (!said) return fail("rank " + std::to_string(rank) + " did not answer: " + said.error().message);
                DASGD_ASSIGN(const std::int64_t entered, stepOf(*said));
                furthest = std::max(furthest, entered);
            }
            return std::to_string(furthest);
        });
        DASGD_ASSIGN(const std::string text, told);
        DASGD_ASSIGN(const std::int64_t step, stepOf(text));
        onGate([&](StopRelayGate& gate) { gate.stopAt(step); });
        return {};
    }

    void onGate(const std::function<void(StopRelayGate&)>& act) {
        const std::lock_guard guard(mutex_);
        if (!ended_) act(gate_);
    }

    Rendezvous store_;
    StopRelayGate& gate_;
    const Rank rank_;
    const int size_;
    const std::function<bool()> asked_;
    const milliseconds patience_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool leaves_ = false, ended_ = false, over_ = false, abandoned_ = false;  // guarded by mutex_
};

StopRelay::StopRelay(Rendezvous store, StopRelayGate& gate, Rank rank, int size, std::function<bool()> asked,
                     milliseconds patience)
    : work_(std::make_shared<Work>(std::move(store), gate, rank, size, std::move(asked), patience)),
      thread_([work = work_] { work->run(); }) {}

void StopRelay::abandon() { work_->abandon(); }

StopRelay::~StopRelay() {
    if (work_->end()) {
        thread_.join();
    } else {
        thread_.detach();
    }
}

}  // namespace dasgd::experiments
