// An operation that another thread ends, as the threads and Gloo communicators return it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/comm/pending.h"

namespace dasgd {

// Thread-safe. Ended once, by end() or fail() or a successful cancel(); whichever comes first counts.
class Completion final : public Pending::Operation {
public:
    struct Facts {
        std::string label;  // "rank 2: all_reduce #17 (247 bytes)", for errors
        Ns launched = 0;
        std::chrono::milliseconds timeout{};  // deadline of wait()
        // "; not arrived: rank 1", for the error of a deadline. May be empty. Called by the waiting thread.
        std::function<std::string()> missing;
        // Takes the operation out of its queue: true where that was still possible. Empty: cannot be cancelled.
        std::function<bool()> withdraw;
    };
    explicit Completion(Facts facts) : facts_(std::move(facts)) {}

    // Runs the callbacks, then lets waits return. Call without holding a lock that launching takes.
    void end(const Pending::Outcome& outcome);
    // wait() throws CommError with "LABEL failed: WHY".
    void fail(const std::string& why);

    void wait() override;
    void waitForAny(const std::vector<Operation*>& operations) override;
    bool done() override;
    bool cancel() override;
    std::optional<Pending::Outcome> outcome() override;
    void onEnd(std::function<void()> callback) override;

    [[nodiscard]] Ns launched() const { return facts_.launched; }

private:
    void settle(const std::optional<Pending::Outcome>& outcome, std::string error);
    [[nodiscard]] std::string lateText() const;

    const Facts facts_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool settled_ = false;  // outcome and error are final
    bool done_ = false;     // settled, and the callbacks have run
    std::optional<Pending::Outcome> outcome_;
    std::string error_;
    std::vector<std::function<void()>> callbacks_;
};

// First line of a library's message; the following lines are its own stack.
[[nodiscard]] std::string firstLine(const std::exception& error);

}  // namespace dasgd
