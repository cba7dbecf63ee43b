// Calls functions periodically on a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace dasgd {

// Thread-safe.
class Watchdog {
public:
    // `begin` is called first on its thread; it must not throw.
    explicit Watchdog(std::chrono::microseconds every, std::function<void()> begin = nullptr);
    // Stops the thread. All functions have been removed before.
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // Calls `look` periodically until remove(). It must not throw, and neither add nor remove.
    [[nodiscard]] int add(std::function<void()> look);
    // Returns when no call of `look` is under way.
    void remove(int look);

private:
    void serve(std::chrono::microseconds every, const std::function<void()>& begin);

    std::mutex mutex_;
    std::condition_variable condition_;
    std::map<int, std::function<void()>> looks_;
    int newest_ = 0;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace dasgd
