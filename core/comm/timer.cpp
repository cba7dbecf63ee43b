#include "core/comm/timer.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

namespace dasgd {

struct Timer::Shared {
    explicit Shared(Clock& clock) : clock(clock) {}
    Clock& clock;
    std::mutex mutex;
    std::condition_variable condition;
    std::multimap<Ns, std::function<void()>> due;
    bool closing = false;
};

Timer::Timer(Clock& clock) : shared_(std::make_shared<Shared>(clock)) {}

Timer::~Timer() {
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->closing = true;
    }
    shared_->condition.notify_all();
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id()) {
        thread_.detach();
    } else {
        thread_.join();
    }
}

void Timer::at(Ns instant, std::function<void()> work) {
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->due.emplace(instant, std::move(work));
        if (!thread_.joinable()) thread_ = std::thread([shared = shared_] { serve(shared); });
    }
    shared_->condition.notify_all();
}

void Timer::serve(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    while (!shared->closing) {
        if (shared->due.empty()) {
            shared->condition.wait(lock);
            continue;
        }
        const Ns left = shared->due.begin()->first - shared->clock.now();
        if (left > 0) {
            shared->condition.wait_for(lock, std::chrono::nanoseconds(left));
            continue;
        }
        {
            auto next = shared->due.extract(shared->due.begin());
            lock.unlock();
            next.mapped()();
        }
        lock.lock();
    }
}

}  // namespace dasgd
