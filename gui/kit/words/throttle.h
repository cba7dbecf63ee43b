// Limits how often a view is updated by something that changes many times a second. UI thread only.
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
    // Calls at once after a pause, else when the interval ends; requests within one interval become one call.
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
