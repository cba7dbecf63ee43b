// Keeps what changes many times a second from being shown as often. UI thread only.
#pragma once

#include <QTimer>
#include <functional>
#include <utility>

namespace dasgd::gui {

class Throttle {
public:
    // `call` runs at most once in `leastMs` milliseconds.
    Throttle(int leastMs, std::function<void()> call) : call_(std::move(call)) {
        timer_.setSingleShot(true);
        timer_.setInterval(leastMs);
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
            if (std::exchange(pending_, false)) run();
        });
    }
    // At once after a pause, else as soon as the time is over; what was asked for meanwhile is one call.
    void request() {
        if (timer_.isActive()) {
            pending_ = true;
        } else {
            run();
        }
    }

private:
    void run() {
        timer_.start();
        call_();
    }

    QTimer timer_;
    std::function<void()> call_;
    bool pending_ = false;
};

}  // namespace dasgd::gui
