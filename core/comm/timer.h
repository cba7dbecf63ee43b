// Calls functions at instants of a real clock, on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "core/base/clock.h"

namespace dasgd {

// Thread-safe. The thread starts with the first call of at(). `clock` outlives the timer.
class Timer {
public:
    explicit Timer(Clock& clock);
    // Drops what is not due yet. May be called by the timer's own thread.
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Calls `work` at `instant`. It must not wait or throw. Calls for one instant are made in the order of at().
    void at(Ns instant, std::function<void()> work);

private:
    struct Shared;
    static void serve(const std::shared_ptr<Shared>& shared);

    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace dasgd
