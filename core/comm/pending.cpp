#include "core/comm/pending.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace dasgd {

namespace {

// Two operations, the second launched when the first has ended.
class ChainOperation final : public Pending::Operation, public std::enable_shared_from_this<ChainOperation> {
public:
    ChainOperation(std::shared_ptr<Operation> first, std::function<Pending()> launch)
        : first_(std::move(first)), launch_(std::move(launch)) {}

    void start() {
        first_->onEnd([self = shared_from_this()] { self->firstEnded(); });
    }

    // An operation's callback runs before its wait() returns, so the second operation exists by then. The exception is
    // an operation that a stream waits for: it ends later, at the latest at its deadline.
    void wait() override {
        first_->wait();
        {
            std::unique_lock lock(mutex_);
            known_.wait(lock, [this] { return decided_; });
        }
        const auto [second, error] = state();
        if (!second) throw CommError(error);
        second->wait();
    }
    bool done() override {
        if (!first_->done()) return false;
        const auto [second, error] = state();
        return !second || second->done();
    }
    bool cancel() override {
        if (first_->cancel()) return true;
        const auto [second, error] = state();
        return second && second->cancel();
    }
    std::optional<Pending::Outcome> outcome() override {
        const auto [second, error] = state();
        return second ? second->outcome() : std::nullopt;
    }
    void onEnd(std::function<void()> callback) override {
        std::shared_ptr<Operation> second;
        {
            const std::lock_guard lock(mutex_);
            if (!decided_) {
                callbacks_.push_back(std::move(callback));
                return;
            }
            second = second_;
        }
        if (second) {
            second->onEnd(std::move(callback));
        } else {
            callback();
        }
    }

private:
    struct State {
        std::shared_ptr<Operation> second;
        std::string error;
    };
    State state() {
        const std::lock_guard lock(mutex_);
        return {second_, error_};
    }

    void firstEnded() {
        std::shared_ptr<Operation> second;
        std::string error = "the first operation of a chain failed";
        if (first_->outcome()) {
            try {
                second = launch_().operation();
                error = second ? "" : "a chain's function launched nothing";
            } catch (const std::exception& thrown) {
                error = std::string("a chain's second operation was not launched: ") + thrown.what();
            }
        }
        launch_ = nullptr;
        std::vector<std::function<void()>> callbacks;
        {
            const std::lock_guard lock(mutex_);
            second_ = second;
            error_ = std::move(error);
            decided_ = true;
            callbacks.swap(callbacks_);
        }
        known_.notify_all();
        for (auto& callback : callbacks) {
            if (second) {
                second->onEnd(std::move(callback));
            } else {
                callback();
            }
        }
    }

    const std::shared_ptr<Operation> first_;
    std::function<Pending()> launch_;
    std::mutex mutex_;
    std::condition_variable known_;
    bool decided_ = false;  // the second was launched, or will not be
    std::shared_ptr<Operation> second_;
    std::string error_;
    std::vector<std::function<void()>> callbacks_;
};

}  // namespace

Pending Pending::then(std::function<Pending()> launch) && {
    auto chain = std::make_shared<ChainOperation>(std::move(operation_), std::move(launch));
    chain->start();
    Pending both(std::move(chain), collective_);
    both.ranks_ = ranks_;
    return both;
}

void Pending::waitForAny(const std::vector<Pending*>& all) {
    std::vector<Operation*> operations;
    for (const Pending* pending : all) operations.push_back(pending->operation_.get());
    operations.front()->waitForAny(operations);
}

}  // namespace dasgd
