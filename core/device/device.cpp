#include "core/device/device.h"

#include <string>
#include <utility>

namespace dasgd {

namespace {

constexpr Ns kPollEvery = 50'000;
constexpr const char* kElapsed = "cudaEventElapsedTime";

// Beginning of a message: "device 1: ".
std::string deviceName(int index) { return std::string("device ").append(std::to_string(index)).append(": "); }

}  // namespace

DeviceEvent::~DeviceEvent() {
    if (handle_) device_->putBack(handle_);
}

DeviceStream::DeviceStream(Device& device, StreamPriority priority) : device_(device) {
    int least = 0, greatest = 0;
    device.select();
    device.check(device.api_.streamPriorities(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    const int chosen = priority == StreamPriority::Greatest ? greatest : least;
    device.check(device.api_.streamCreate(&handle_, DeviceApi::kNonBlockingStream, chosen),
                 "cudaStreamCreateWithPriority");
}

DeviceStream::~DeviceStream() { device_.api_.streamDestroy(handle_); }

Device::Device(DeviceApi api, int index) : api_(std::move(api)), index_(index) { select(); }

Device::~Device() {
    for (EventHandle event : idle_) api_.eventDestroy(event);
}

void Device::select() { check(api_.setDevice(index_), "cudaSetDevice"); }

DeviceEvent Device::record(StreamHandle stream) {
    DeviceEvent event(*this, takeEvent());
    check(api_.eventRecord(event.handle(), stream), "cudaEventRecord");
    return event;
}

void Device::makeWait(StreamHandle stream, const DeviceEvent& event) {
    check(api_.streamWaitEvent(stream, event.handle(), 0), "cudaStreamWaitEvent");
}

// Clears the thread's last error: the next kernel launch on it checks for one, and must not find this.
bool Device::isNotReady(int answer) const {
    if (answer != DeviceApi::kNotReady) return false;
    api_.takeError();
    return true;
}

bool Device::hasPassed(const DeviceEvent& event) {
    const int answer = api_.eventQuery(event.handle());
    if (isNotReady(answer)) return false;
    check(answer, "cudaEventQuery");
    return true;
}

Ns Device::between(const DeviceEvent& from, const DeviceEvent& to) {
    const std::optional<Ns> time = betweenIfPassed(from, to);
    if (!time) check(DeviceApi::kNotReady, kElapsed);
    return *time;
}

std::optional<Ns> Device::betweenIfPassed(const DeviceEvent& from, const DeviceEvent& to) {
    float ms = 0;
    const int answer = api_.eventElapsed(&ms, from.handle(), to.handle());
    if (isNotReady(answer)) return std::nullopt;
    check(answer, kElapsed);
    return static_cast<Ns>(static_cast<double>(ms) * 1e6);
}

void Device::await(const DeviceEvent& event, std::chrono::milliseconds deadline, Clock& clock) {
    if (hasPassed(event)) return;
    {
        const std::lock_guard lock(mutex_);
        ++hostWaits_;
    }
    const Ns last = clock.now() + std::chrono::nanoseconds(deadline).count();
    while (!hasPassed(event)) {
        const Ns now = clock.now();
        if (now >= last) {
            throw DeviceError(deviceName(index_)
                                  .append("its work did not end within ")
                                  .append(std::to_string(deadline.count()))
                                  .append(" ms"));
        }
        clock.sleepUntil(now + kPollEvery);
    }
}

std::int64_t Device::hostWaits() const {
    const std::lock_guard lock(mutex_);
    return hostWaits_;
}

void Device::check(int error, const char* call) const {
    if (error == DeviceApi::kSuccess) return;
    throw DeviceError(deviceName(index_) + call + " failed: " + api_.errorText(error));
}

EventHandle Device::takeEvent() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            EventHandle event = idle_.back();
            idle_.pop_back();
            return event;
        }
    }
    EventHandle event = nullptr;
    check(api_.eventCreate(&event, 0), "cudaEventCreateWithFlags");
    return event;
}

void Device::putBack(EventHandle event) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(event);
}

}  // namespace dasgd
