#include "core/comm/stream/watchdog.h"

#include <utility>

#include "core/base/check.h"

namespace dasgd {

Watchdog::Watchdog(std::chrono::microseconds every, std::function<void()> begin)
    : thread_([this, every, begin = std::move(begin)] { serve(every, begin); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        DASGD_CHECK(looks_.empty());
        closing_ = true;
    }
    condition_.notify_all();
    thread_.join();
}

int Watchdog::add(std::function<void()> look) {
    const std::lock_guard lock(mutex_);
    looks_[++newest_] = std::move(look);
    return newest_;
}

void Watchdog::remove(int look) {
    const std::lock_guard lock(mutex_);
    looks_.erase(look);
}

void Watchdog::serve(std::chrono::microseconds every, const std::function<void()>& begin) {
    if (begin) begin();
    std::unique_lock lock(mutex_);
    while (!condition_.wait_for(lock, every, [&] { return closing_; })) {
        for (const auto& [number, look] : looks_) look();
    }
}

}  // namespace dasgd
