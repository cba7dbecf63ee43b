#include "core/device/device_clock.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

namespace dasgd {

namespace {

constexpr Ns kRefreshAfter = 1'000'000'000;
// Resolution of cudaEventElapsedTime.
constexpr Ns kResolution = 500;
// Numbers of tries and queries: at the start, then while the rank trains.
constexpr int kStartTries = 8, kStartQueries = 100'000;
constexpr int kTries = 2, kQueries = 200;

}  // namespace

DeviceClock::DeviceClock(Device& device, const Clock& clock)
    : device_(device), clock_(clock), stream_(device, StreamPriority::Greatest) {
    reference_ = measure(kStartTries, kStartQueries);
    if (!reference_) {
        throw DeviceError(
            std::string("device ").append(std::to_string(device.index())).append(": does not come to its first event"));
    }
    bound_ = reference_->bound;
}

std::shared_ptr<const DeviceClock::Reference> DeviceClock::measure(int tries, int queries) {
    std::shared_ptr<const Reference> best;
    for (int i = 0; i < tries; ++i) {
        const Ns before = clock_.now();
        DeviceEvent event = device_.record(stream_.handle());
        int left = queries;
        while (left > 0 && !device_.hasPassed(event)) {
            // Only the queries beyond kQueries yield, and only the start makes so many: a busy host needs them.
            if (--left < queries - kQueries) std::this_thread::yield();
        }
        const Ns after = clock_.now();
        if (left == 0) continue;
        const Ns bound = (after - before + 1) / 2 + kResolution;
        if (best && best->bound <= bound) continue;
        best = std::make_shared<const Reference>(Reference{std::move(event), before + (after - before) / 2, bound});
    }
    return best;
}

std::shared_ptr<const DeviceClock::Reference> DeviceClock::reference() const {
    const std::lock_guard lock(mutex_);
    return reference_;
}

Ns DeviceClock::instantOf(const DeviceEvent& event) {
    const auto from = reference();
    return from->at + device_.between(from->event, event);
}

std::optional<Ns> DeviceClock::instantIfPassed(const DeviceEvent& event) {
    const auto from = reference();
    const std::optional<Ns> time = device_.betweenIfPassed(from->event, event);
    return time ? std::optional(from->at + *time) : std::nullopt;
}

void DeviceClock::refresh() {
    const auto old = reference();
    if (clock_.now() - old->at < kRefreshAfter) return;
    auto next = measure(kTries, kQueries);
    // The next call tries again.
    if (!next) return;
    const Ns drift = std::abs(old->at + device_.between(old->event, next->event) - next->at);
    const std::lock_guard lock(mutex_);
    bound_ = std::max(bound_, next->bound + drift);
    reference_ = std::move(next);
}

Ns DeviceClock::errorBound() const {
    const std::lock_guard lock(mutex_);
    return bound_;
}

}  // namespace dasgd
