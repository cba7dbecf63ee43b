// Communication of a device, on a stream of its own beside the compute stream. The host waits for neither: the
// communication stream waits for what was computed before the launch, and a wait for the operation makes the compute
// stream wait for its end.
//
//   compute        … step k ─┬─ step k+1 ── step k+2 ── … ─┬─ merge
//                     (ready)│                        (end)│
//   communication            └─ start ─ all-reduce ─ end ──┘
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/comm/pending.h"
#include "core/device/device_clock.h"

namespace dasgd {

struct StreamCall {
    std::string label;                // "rank 2: all_reduce #17 (247 bytes)", for errors
    std::uint64_t collective = 0;     // the value of Pending::collective
    std::vector<at::Tensor> tensors;  // kept alive until the stream is done with them
    // Gives the stream its work; does not wait for it. An exception that it throws fails the operation.
    std::function<void(StreamHandle)> enqueue;
};

struct StreamQueueOptions {
    StreamHandle compute = nullptr;
    StreamPriority priority = StreamPriority::Greatest;
    std::chrono::milliseconds timeout{60'000};  // longest time of one operation, from its turn on
};

// Operations run one after the other in the order of their launch. Thread-safe; poll() and fail() run callbacks of the
// operations that they end.
class StreamQueue {
public:
    // All arguments outlive the queue and the operations that it launched. Throws DeviceError.
    StreamQueue(Device& device, DeviceClock& times, const Clock& clock, const StreamQueueOptions& options);
    // Fails open operations.
    ~StreamQueue();
    StreamQueue(const StreamQueue&) = delete;
    StreamQueue& operator=(const StreamQueue&) = delete;

    // Launches an operation behind all that the compute stream has been given so far. Its interval is measured on the
    // device: from when the stream had reached it and its tensors were ready, to its end.
    [[nodiscard]] Pending launch(StreamCall call);

    // Ends the operations that the device has completed. To be called every millisecond or so by a thread that does not
    // train; operations end nowhere else. Where the deadline of one has passed, or the device has failed, everything
    // fails; returns the reason, once.
    [[nodiscard]] std::optional<std::string> poll();
    // Fails every operation that is open, and every later one, with this reason.
    void fail(const std::string& reason);

    class Impl;

private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace dasgd
