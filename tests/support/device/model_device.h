// A model of a device behind core/device/device_api.h, for tests: what streams and events mean, without a GPU. It
// measures nothing and no figure comes from it.
//
// Time is deterministic. Each stream has a time of its own: work starts when the stream is free and the host has
// launched it, and takes as long as the test says; an event has its stream's time; a query compares it with the host's
// time, which each call moves on. All calls come from one thread.
//
// Order is checked whatever the times. Streams and host have vector clocks: recording an event hands a stream's clock
// to whoever waits for it, a launch hands over the host's, and a query that is answered with yes gives the event's to
// the host. Two accesses to the same memory, one of which writes, that nothing orders so are a race, even where they
// happened to come in the right order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/device/device_api.h"

namespace dasgd::test {

// The host's time: moved on by calls of the model and by waiting.
class ModelClock final : public Clock {
public:
    [[nodiscard]] Ns now() const override { return time; }
    void sleepUntil(Ns instant) override {
        time = std::max(time, instant);
        if (whenSleeping) whenSleeping();
    }
    Ns time = 0;
    std::function<void()> whenSleeping;  // what other threads do meanwhile; may be empty
};

// Memory that a piece of work reads or writes.
struct Access {
    const void* begin = nullptr;
    std::int64_t bytes = 0;
    bool writes = false;
    std::string by;  // "all_reduce", for the report of a race
};

class ModelDevice {
public:
    explicit ModelDevice(ModelClock& host) : host_(host) { streams_[nullptr].name = "compute"; }
    ModelDevice(const ModelDevice&) = delete;
    ModelDevice& operator=(const ModelDevice&) = delete;

    // Functions that hold a pointer to this.
    [[nodiscard]] DeviceApi api();

    // A kernel of `duration` on `stream`, which touches `accesses`.
    void launch(StreamHandle stream, Ns duration, const std::vector<Access>& accesses = {});
    // The host itself touches memory.
    void touch(const Access& access) { check(host(), access); }
    // An operation whose result the host needs at once: it waits for the stream.
    void synchronize(StreamHandle stream, const std::string& by);

    // "all_reduce on stream 1 writes what lerp_ on compute reads".
    [[nodiscard]] const std::vector<std::string>& races() const { return races_; }
    // Operations that made the host wait, and events that it asked for again and again: "event 3 is polled".
    [[nodiscard]] const std::vector<std::string>& hostWaits() const { return hostWaits_; }
    // Misuse that CUDA does not report: a wait for an event that was never recorded.
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
    [[nodiscard]] std::size_t eventsMade() const { return eventsMade_; }
    [[nodiscard]] std::size_t eventsAlive() const { return events_.size(); }
    [[nodiscard]] std::size_t streamsAlive() const { return streams_.size() - 1; }
    // The device's time when the host's is `instant`.
    [[nodiscard]] Ns deviceTime(Ns instant) const {
        return instant + offset + static_cast<Ns>(static_cast<double>(instant) * drift);
    }

    Ns callTime = 1000;  // of the host, for each call
    Ns offset = 0;       // of the device's clock
    double drift = 0;    // of the device's clock, per unit of time
    int failing = 0;     // error that each call answers instead, where it is not 0

private:
    // Threads of work, each with what has happened before it. Thread 0 is the host.
    using Epochs = std::map<int, std::int64_t>;
    struct Thread {
        std::string name;
        int id = 0;
        Epochs seen;
        Ns free = 0;  // device time; of a stream
    };
    struct Event {
        int number = 0;
        bool recorded = false;
        Epochs seen;
        Ns at = 0;  // device time
    };
    struct Past {
        Access access;
        int thread = 0;
        std::int64_t epoch = 0;
        std::string name;  // of the thread
    };

    static constexpr int kInvalidHandle = 400;  // cudaErrorInvalidResourceHandle

    static void join(Epochs& into, const Epochs& from) {
        for (const auto& [id, epoch] : from) into[id] = std::max(into[id], epoch);
    }
    // Each call takes the host some time.
    int called() {
        host_.time += callTime;
        return failing;
    }
    Thread& host() {
        hostThread_.name = "host";
        return hostThread_;
    }
    Thread* stream(StreamHandle handle) {
        const auto found = streams_.find(handle);
        if (found == streams_.end()) return nullptr;
        if (found->second.id == 0) found->second.id = ++threads_;
        return &found->second;
    }
    Event* event(EventHandle handle) {
        const auto found = events_.find(handle);
        return found == events_.end() ? nullptr : &found->second;
    }
    // The stream comes to something that the host has just given it.
    void arrive(Thread& stream) {
        join(stream.seen, host().seen);
        ++stream.seen[stream.id];
        stream.free = std::max(stream.free, deviceTime(host_.time));
    }
    void check(Thread& thread, const Access& access);

    int createStream(StreamHandle* handle);
    int wait(StreamHandle handle, EventHandle waited);
    int record(EventHandle recorded, StreamHandle handle);
    int query(EventHandle queried);
    int askedFor(EventHandle queried, const Event& found);
    int elapsed(float* ms, EventHandle from, EventHandle to);

    ModelClock& host_;
    Thread hostThread_;
    int threads_ = 0;
    std::map<StreamHandle, Thread> streams_;
    std::map<EventHandle, Event> events_;
    std::deque<char> handles_;  // whose addresses are the handles
    std::size_t eventsMade_ = 0;
    int lastError_ = DeviceApi::kSuccess;
    EventHandle asked_ = nullptr;  // by the newest call, which was a query answered with no
    std::vector<Past> past_;
    std::vector<std::string> races_, hostWaits_, faults_;
};

inline DeviceApi ModelDevice::api() {
    DeviceApi api;
    const auto number = [](int value) {
        return [value](int* out) {
            *out = value;
            return DeviceApi::kSuccess;
        };
    };
    api.driverVersion = number(13000);
    api.runtimeVersion = number(13000);
    api.deviceCount = number(1);
    api.properties = [](DeviceProperties* properties, int) {
        *properties = {"model of a device", "a model", {}};
        return DeviceApi::kSuccess;
    };
    api.setDevice = [this](int) { return called(); };
    api.streamPriorities = [](int* least, int* greatest) {
        *least = 0;
        *greatest = -5;
        return DeviceApi::kSuccess;
    };
    api.streamCreate = [this](StreamHandle* handle, unsigned, int) { return createStream(handle); };
    api.streamDestroy = [this](StreamHandle handle) { return streams_.erase(handle) == 1 ? called() : kInvalidHandle; };
    api.streamWaitEvent = [this](StreamHandle handle, EventHandle waited, unsigned) { return wait(handle, waited); };
    api.eventCreate = [this](EventHandle* handle, unsigned) {
        *handle = reinterpret_cast<EventHandle>(&handles_.emplace_back());
        events_[*handle].number = static_cast<int>(++eventsMade_);
        return called();
    };
    api.eventDestroy = [this](EventHandle handle) { return events_.erase(handle) == 1 ? called() : kInvalidHandle; };
    api.eventRecord = [this](EventHandle recorded, StreamHandle handle) { return record(recorded, handle); };
    api.eventQuery = [this](EventHandle queried) { return query(queried); };
    api.eventElapsed = [this](float* ms, EventHandle from, EventHandle to) { return elapsed(ms, from, to); };
    api.takeError = [this] { return std::exchange(lastError_, DeviceApi::kSuccess); };
    api.errorText = [](int error) {
        return error == kInvalidHandle ? "invalid resource handle" : "an error of the test";
    };
    return api;
}

inline void ModelDevice::launch(StreamHandle handle, Ns duration, const std::vector<Access>& accesses) {
    Thread* thread = stream(handle);
    if (!thread) {
        faults_.emplace_back("work on a stream that is not there");
        return;
    }
    called();
    asked_ = nullptr;
    arrive(*thread);
    thread->free += duration;
    for (const Access& access : accesses) check(*thread, access);
}

inline void ModelDevice::synchronize(StreamHandle handle, const std::string& by) {
    hostWaits_.push_back(by);
    Thread* thread = stream(handle);
    if (!thread) return;
    join(host().seen, thread->seen);
    // The host's clock has no drift that would matter for a wait.
    host_.time = std::max(host_.time, thread->free - offset);
}

inline void ModelDevice::check(Thread& thread, const Access& access) {
    const auto* begin = static_cast<const char*>(access.begin);
    for (const Past& past : past_) {
        const auto* before = static_cast<const char*>(past.access.begin);
        const bool overlap = begin < before + past.access.bytes && before < begin + access.bytes;
        const bool conflict = past.access.writes || access.writes;
        if (!overlap || !conflict || past.thread == thread.id) continue;
        if (past.epoch <= thread.seen[past.thread]) continue;
        const auto verb = [](const Access& of) { return of.writes ? " writes" : " reads"; };
        races_.push_back(access.by + " on " + thread.name + verb(access) + " what " + past.access.by + " on " +
                         past.name + verb(past.access));
    }
    past_.push_back({access, thread.id, thread.seen[thread.id], thread.name});
}

inline int ModelDevice::createStream(StreamHandle* handle) {
    *handle = reinterpret_cast<StreamHandle>(&handles_.emplace_back());
    Thread& made = streams_[*handle];
    made.id = ++threads_;
    made.name = std::string("stream ").append(std::to_string(made.id));
    return called();
}

inline int ModelDevice::wait(StreamHandle handle, EventHandle waited) {
    Thread* thread = stream(handle);
    const Event* found = event(waited);
    if (!thread || !found) return kInvalidHandle;
    asked_ = nullptr;
    if (const int error = called()) return error;
    if (!found->recorded) faults_.push_back(thread->name + " waits for an event that was never recorded");
    arrive(*thread);
    join(thread->seen, found->seen);
    thread->free = std::max(thread->free, found->at);
    return DeviceApi::kSuccess;
}

inline int ModelDevice::record(EventHandle recorded, StreamHandle handle) {
    Thread* thread = stream(handle);
    Event* found = event(recorded);
    if (!thread || !found) return kInvalidHandle;
    asked_ = nullptr;
    if (const int error = called()) return error;
    arrive(*thread);
    found->recorded = true;
    found->seen = thread->seen;
    found->at = thread->free;
    return DeviceApi::kSuccess;
}

inline int ModelDevice::query(EventHandle queried) {
    const Event* found = event(queried);
    if (!found) return kInvalidHandle;
    if (const int error = called()) return error;
    return askedFor(queried, *found);
}

// Once an event has passed, the host sees what the stream had done by then.
inline int ModelDevice::askedFor(EventHandle queried, const Event& found) {
    if (found.recorded && found.at > deviceTime(host_.time)) {
        if (asked_ == queried)
            hostWaits_.push_back(std::string("event ").append(std::to_string(found.number)).append(" is polled"));
        asked_ = queried;
        return lastError_ = DeviceApi::kNotReady;
    }
    asked_ = nullptr;
    join(host().seen, found.seen);
    return DeviceApi::kSuccess;
}

inline int ModelDevice::elapsed(float* ms, EventHandle from, EventHandle to) {
    const Event* first = event(from);
    const Event* second = event(to);
    if (!first || !second) return kInvalidHandle;
    if (const int error = called()) return error;
    if (!first->recorded || !second->recorded) return kInvalidHandle;
    if (first->at > deviceTime(host_.time)) return DeviceApi::kNotReady;
    if (const int answer = askedFor(to, *second); answer != DeviceApi::kSuccess) return answer;
    *ms = static_cast<float>(static_cast<double>(second->at - first->at) * 1e-6);
    return DeviceApi::kSuccess;
}

}  // namespace dasgd::test
