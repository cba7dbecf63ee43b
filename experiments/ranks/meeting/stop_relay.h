// Stops ranks that were started by hand at one step, on however many hosts they are. No page of one host is seen by all
// of them, so the request travels by the store at which they met: whoever is asked leaves a word there, every rank says
// how far it may have come and waits before its next step, rank 0 names the furthest of these steps, and all run on to
// it. A thread of its own does the asking; the training thread sees two atomics.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/control.h"
#include "core/comm/gloo/gloo.h"

namespace dasgd::experiments {

// The gate of one rank. mayContinue() throws CommError if the ranks do not agree in time.
class StopRelayGate final : public StepGate {
public:
    // A rank that waits longer than `patience` for a step to stop at gives up. `page`, if there is one, outlives the
    // gate: where it had got to is published there, for whoever looks at the run on this host.
    explicit StopRelayGate(std::chrono::milliseconds patience, RunControl* page = nullptr)
        : patience_(patience), page_(page) {}

    [[nodiscard]] bool mayContinue(Rank rank, std::int64_t completed) override;
    [[nodiscard]] bool stopAsked(Rank rank, std::int64_t completed) override {
        entered_.store(completed);
        if (page_) page_->publish(rank, completed);
        return held_.load();
    }
    void leave(Rank rank) override;

    // From now on the rank waits before its next step. Answers the furthest step that it may have entered by now.
    [[nodiscard]] std::int64_t hold();
    // It goes on to the end of this step, which is no earlier than what hold() answered, and stops there.
    void stopAt(std::int64_t step) { stop_.store(step); }
    // No step will be named: a rank that waits fails with this reason.
    void giveUp(const std::string& reason);

private:
    static constexpr std::int64_t kNone = -1;
    [[nodiscard]] bool wait(std::int64_t completed);

    const std::chrono::milliseconds patience_;
    RunControl* page_;
    std::atomic<std::int64_t> entered_{0};  // the step that it was last allowed to make, or was about to be
    std::atomic<bool> held_{false};
    std::atomic<std::int64_t> stop_{kNone};
    std::atomic<bool> givenUp_{false};
    std::mutex mutex_;
    std::string reason_;  // guarded by mutex_
};

class StopRelay {
public:
    // `asked`: whether somebody asks this rank's process for a stop; called several times a second, from the relay's
    // thread. It and `gate` outlive the relay. `patience`: for the other ranks' answers.
    StopRelay(Rendezvous store, StopRelayGate& gate, Rank rank, int size, std::function<bool()> asked,
              std::chrono::milliseconds patience);
    // Waits for a stop that is being agreed on, but not for a store that does not answer: a host that was cut off would
    // wait for ever, as the store's client has no deadline of its own for what it has begun to ask.
    ~StopRelay();
    // The store is known not to answer: what is being agreed on is not waited for either.
    void abandon();
    StopRelay(const StopRelay&) = delete;
    StopRelay& operator=(const StopRelay&) = delete;

private:
    class Work;
    std::shared_ptr<Work> work_;  // shared with the thread, which may outlive this object
    std::thread thread_;
};

}  // namespace dasgd::experiments
