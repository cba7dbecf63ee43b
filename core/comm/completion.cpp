#include "core/comm/completion.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

namespace dasgd {

void Completion::end(const Pending::Outcome& outcome) { settle(outcome, {}); }

void Completion::fail(const std::string& why) { settle(std::nullopt, facts_.label + " failed: " + why); }

void Completion::settle(const std::optional<Pending::Outcome>& outcome, std::string error) {
    std::unique_lock lock(mutex_);
    if (std::exchange(settled_, true)) return;
    outcome_ = outcome;
    error_ = std::move(error);
    // A callback may be added while others run.
    while (!callbacks_.empty()) {
        std::vector<std::function<void()>> callbacks;
        callbacks.swap(callbacks_);
        lock.unlock();
        for (const auto& callback : callbacks) callback();
        callbacks.clear();  // unlocked: what they own may be destroyed with them
        lock.lock();
    }
    done_ = true;
    condition_.notify_all();
}

void Completion::wait() {
    std::unique_lock lock(mutex_);
    if (!condition_.wait_for(lock, facts_.timeout, [&] { return done_; })) {
        lock.unlock();
        throw CommError(lateText());
    }
    if (!outcome_) throw CommError(error_);
}

std::string Completion::lateText() const {
    return facts_.label + " did not end within " + std::to_string(facts_.timeout.count()) + " ms" +
           (facts_.missing ? facts_.missing() : "");
}

void Completion::waitForAny(const std::vector<Operation*>& operations) {
    // Shared with callbacks, of which some are called long after.
    struct Signal {
        std::mutex mutex;
        std::condition_variable condition;
        bool given = false;
    };
    const auto signal = std::make_shared<Signal>();
    for (Operation* operation : operations) {
        operation->onEnd([signal] {
            const std::lock_guard lock(signal->mutex);
            signal->given = true;
            signal->condition.notify_all();
        });
    }
    {
        std::unique_lock lock(signal->mutex);
        if (!signal->condition.wait_for(lock, facts_.timeout, [&] { return signal->given; })) {
            throw CommError(lateText());
        }
    }
    // A callback is called just before its operation is done.
    while (std::ranges::none_of(operations, [](Operation* operation) { return operation->done(); })) {
        std::this_thread::yield();
    }
}

bool Completion::done() {
    const std::lock_guard lock(mutex_);
    return done_;
}

bool Completion::cancel() {
    if (!facts_.withdraw || !facts_.withdraw()) return false;
    settle(std::nullopt, facts_.label + " was cancelled");
    return true;
}

std::optional<Pending::Outcome> Completion::outcome() {
    const std::lock_guard lock(mutex_);
    return outcome_;
}

void Completion::onEnd(std::function<void()> callback) {
    {
        const std::lock_guard lock(mutex_);
        if (!done_) {
            callbacks_.push_back(std::move(callback));
            return;
        }
    }
    callback();
}

std::string firstLine(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

}  // namespace dasgd
