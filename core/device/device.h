// One device as a rank uses it: its own streams, events, and waits between streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/device/device_api.h"

namespace dasgd {

// A call of the device's library failed, or a deadline passed. `what()` names device and call.
struct DeviceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Device;

// An event out of its device's pool, into which it goes back. Move-only.
class DeviceEvent {
public:
    DeviceEvent() = default;
    DeviceEvent(DeviceEvent&& other) noexcept { swap(other); }
    DeviceEvent& operator=(DeviceEvent&& other) noexcept {
        swap(other);
        return *this;
    }
    ~DeviceEvent();

    [[nodiscard]] EventHandle handle() const { return handle_; }

private:
    friend class Device;
    DeviceEvent(Device& device, EventHandle handle) : device_(&device), handle_(handle) {}
    void swap(DeviceEvent& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(handle_, other.handle_);
    }

    Device* device_ = nullptr;
    EventHandle handle_ = nullptr;
};

// Priority of a stream's kernels where the device has a choice.
enum class StreamPriority : std::uint8_t { Least, Greatest };

// A stream that waits for no other unless told to. Its destruction does not wait for its work.
class DeviceStream {
public:
    // Throws DeviceError. `device` outlives it.
    DeviceStream(Device& device, StreamPriority priority);
    ~DeviceStream();
    DeviceStream(const DeviceStream&) = delete;
    DeviceStream& operator=(const DeviceStream&) = delete;

    [[nodiscard]] StreamHandle handle() const { return handle_; }

private:
    Device& device_;
    StreamHandle handle_ = nullptr;
};

// Thread-safe. Outlives its streams and events. Every function throws DeviceError.
class Device {
public:
    // The calling thread uses device `index` from now on.
    Device(DeviceApi api, int index);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    // The calling thread uses this device from now on.
    void select();

    // Records an event that passes when `stream` has done all that it was given so far.
    [[nodiscard]] DeviceEvent record(StreamHandle stream);
    // Makes the work that `stream` is given from now on wait for `event`. The host does not wait.
    void makeWait(StreamHandle stream, const DeviceEvent& event);
    [[nodiscard]] bool hasPassed(const DeviceEvent& event);
    // Device time from one event to another; negative where `to` came first. Both have passed.
    [[nodiscard]] Ns between(const DeviceEvent& from, const DeviceEvent& to);
    // Like between(), for an event `to` that may not have passed: nullopt then. `from` has passed. One call of the
    // device's library in place of two.
    [[nodiscard]] std::optional<Ns> betweenIfPassed(const DeviceEvent& from, const DeviceEvent& to);

    // The host waits until `event` has passed. Not for the training loop. Throws past the deadline.
    void await(const DeviceEvent& event, std::chrono::milliseconds deadline, Clock& clock);
    // Number of times that await() made the host wait.
    [[nodiscard]] std::int64_t hostWaits() const;

    [[nodiscard]] int index() const { return index_; }
    [[nodiscard]] const DeviceApi& api() const { return api_; }

private:
    friend class DeviceEvent;
    friend class DeviceStream;
    // Throws where `error` is an error's number; `call` names the function: "cudaEventRecord".
    void check(int error, const char* call) const;
    [[nodiscard]] bool isNotReady(int answer) const;
    [[nodiscard]] EventHandle takeEvent();
    void putBack(EventHandle event) noexcept;

    const DeviceApi api_;
    const int index_;
    mutable std::mutex mutex_;
    std::vector<EventHandle> idle_;
    std::int64_t hostWaits_ = 0;
};

}  // namespace dasgd
