// A stand-in for a device whose streams are threads: what is given to a stream is done in order, beside everything
// else, on the processor. For what needs real concurrency, as communication between ranks; no figure comes from it.
// Memory is the host's, so a test waits until an operation has ended before it looks at the result.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/device/device_api.h"

namespace dasgd::test {

class ThreadedDevice {
public:
    // Thread that does the work of the compute stream, the default one: a thread of the stream, or the caller, who then
    // also waits where the stream does. The latter is for code that computes with the host's memory right away.
    enum class Compute : std::uint8_t { OnThread, OnCaller };
    explicit ThreadedDevice(Compute compute = Compute::OnThread) : compute_(compute) {
        if (compute == Compute::OnThread) streams_[nullptr] = std::make_unique<Stream>();
    }
    ThreadedDevice(const ThreadedDevice&) = delete;
    ThreadedDevice& operator=(const ThreadedDevice&) = delete;

    // Functions that hold a pointer to this.
    [[nodiscard]] DeviceApi api();

    // Does `work` on the stream, after all earlier work of the stream.
    void launch(StreamHandle stream, std::function<void()> work) {
        if (!stream && compute_ == Compute::OnCaller) return work();
        streamOf(stream).give(std::move(work));
    }

    int devices = 1;
    std::string name = "stand-in GPU";

private:
    // One record of an event.
    struct Mark {
        std::mutex mutex;
        std::condition_variable condition;
        bool passed = false;
        Ns at = 0;
        void pass() {
            {
                const std::lock_guard lock(mutex);
                passed = true;
                at = MonotonicClock::rawNow();
            }
            condition.notify_all();
        }
        void wait() {
            std::unique_lock lock(mutex);
            condition.wait(lock, [&] { return passed; });
        }
        bool hasPassed() {
            const std::lock_guard lock(mutex);
            return passed;
        }
    };
    // A stream, which is a thread. Its destructor first does all work that was given.
    class Stream {
    public:
        ~Stream() {
            {
                const std::lock_guard lock(mutex_);
                closing_ = true;
            }
            condition_.notify_all();
            thread_.join();
        }
        void give(std::function<void()> work) {
            {
                const std::lock_guard lock(mutex_);
                work_.push_back(std::move(work));
            }
            condition_.notify_all();
        }

    private:
        void serve() {
            std::unique_lock lock(mutex_);
            while (true) {
                condition_.wait(lock, [&] { return closing_ || !work_.empty(); });
                if (work_.empty()) return;
                const std::function<void()> next = std::move(work_.front());
                work_.pop_front();
                lock.unlock();
                next();
                lock.lock();
            }
        }
        std::mutex mutex_;
        std::condition_variable condition_;
        std::deque<std::function<void()>> work_;
        bool closing_ = false;
        std::thread thread_{[this] { serve(); }};
    };

    Stream& streamOf(StreamHandle handle) {
        const std::lock_guard lock(mutex_);
        return *streams_.at(handle);
    }
    std::shared_ptr<Mark> newestOf(EventHandle handle) {
        const std::lock_guard lock(mutex_);
        return events_.at(handle);
    }
    int record(EventHandle handle, StreamHandle stream) {
        auto mark = std::make_shared<Mark>();
        {
            const std::lock_guard lock(mutex_);
            events_.at(handle) = mark;
        }
        launch(stream, [mark] { mark->pass(); });
        return DeviceApi::kSuccess;
    }
    int elapsed(float* ms, EventHandle from, EventHandle to) {
        const auto first = newestOf(from), second = newestOf(to);
        if (!first || !second || !first->hasPassed() || !second->hasPassed()) return DeviceApi::kNotReady;
        *ms = static_cast<float>(static_cast<double>(second->at - first->at) * 1e-6);
        return DeviceApi::kSuccess;
    }

    const Compute compute_;
    std::mutex mutex_;  // of what follows
    std::deque<char> handles_;
    std::map<EventHandle, std::shared_ptr<Mark>> events_;
    std::map<StreamHandle, std::unique_ptr<Stream>> streams_;
};

inline DeviceApi ThreadedDevice::api() {
    DeviceApi api;
    const auto number = [](int value) {
        return [value](int* out) {
            *out = value;
            return DeviceApi::kSuccess;
        };
    };
    api.driverVersion = number(13000);
    api.runtimeVersion = number(13000);
    api.deviceCount = [this](int* count) {
        *count = devices;
        return DeviceApi::kSuccess;
    };
    api.properties = [this](DeviceProperties* properties, int device) {
        *properties = {};
        name.copy(properties->name, sizeof properties->name - 1);
        properties->uuid[0] = static_cast<char>(device + 1);
        return DeviceApi::kSuccess;
    };
    api.setDevice = [](int) { return DeviceApi::kSuccess; };
    api.streamPriorities = [](int* least, int* greatest) {
        *least = 0;
        *greatest = -5;
        return DeviceApi::kSuccess;
    };
    api.streamCreate = [this](StreamHandle* handle, unsigned, int) {
        const std::lock_guard lock(mutex_);
        *handle = reinterpret_cast<StreamHandle>(&handles_.emplace_back());
        streams_[*handle] = std::make_unique<Stream>();
        return DeviceApi::kSuccess;
    };
    api.streamDestroy = [this](StreamHandle handle) {
        std::unique_ptr<Stream> gone;  // joined without the lock
        const std::lock_guard lock(mutex_);
        gone = std::move(streams_.at(handle));
        streams_.erase(handle);
        return DeviceApi::kSuccess;
    };
    api.streamWaitEvent = [this](StreamHandle stream, EventHandle event, unsigned) {
        if (auto mark = newestOf(event)) launch(stream, [mark] { mark->wait(); });
        return DeviceApi::kSuccess;
    };
    api.eventCreate = [this](EventHandle* handle, unsigned) {
        const std::lock_guard lock(mutex_);
        *handle = reinterpret_cast<EventHandle>(&handles_.emplace_back());
        events_[*handle] = nullptr;
        return DeviceApi::kSuccess;
    };
    api.eventDestroy = [this](EventHandle handle) {
        const std::lock_guard lock(mutex_);
        events_.erase(handle);
        return DeviceApi::kSuccess;
    };
    api.eventRecord = [this](EventHandle event, StreamHandle stream) { return record(event, stream); };
    api.eventQuery = [this](EventHandle event) {
        const auto mark = newestOf(event);
        return !mark || mark->hasPassed() ? DeviceApi::kSuccess : DeviceApi::kNotReady;
    };
    api.eventElapsed = [this](float* ms, EventHandle from, EventHandle to) { return elapsed(ms, from, to); };
    api.errorText = [](int) { return "an error of the stand-in device"; };
    api.takeError = [] { return DeviceApi::kSuccess; };
    return api;
}

}  // namespace dasgd::test
