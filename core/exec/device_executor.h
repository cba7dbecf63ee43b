// Executor for work on a device. The work is launched on the compute stream and done later; its start and end are the
// instants of device events before and after it.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <variant>

#include "core/device/device_clock.h"
#include "core/exec/executor.h"

namespace dasgd {

// Stream and device that a rank computes on. Device and clock outlive the executor.
struct ComputeStream {
    Device& device;
    DeviceClock& times;
    StreamHandle stream = nullptr;
    std::chrono::milliseconds deadline{60'000};  // longest wait for the device at the end of the run
};

class DeviceExecutor final : public Executor {
public:
    DeviceExecutor(Clock& clock, EventSink& sink, TraceLevel level, const ComputeStream& compute,
                   const CleanWindowOptions& windows = {})
        : Executor(clock, sink, level, windows), host_(clock), compute_(compute) {}

    // Records what the device has done by now. After trainingDone() the host waits for all of it; it does so too where
    // an evaluation, a checkpoint or profiling begins, so that work of training is not counted into the pause.
    void flush() override;

    void gradientReady(std::size_t) override {}
    void layerDone(SpanKind, std::size_t) override {}
    void setBatchShare(double, bool) override {}
    void setUntimed(bool) override {}

private:
    // An event on the stream. Marks are numbered in the order of the stream.
    struct Mark {
        DeviceEvent event;
        std::optional<Ns> at;  // instant of the event; nullopt until it has passed
    };
    // A record that waits for its marks; its instants are mark numbers until then.
    using Entry = std::variant<Span, Milestone>;

    // Marks the stream; answers the mark's number.
    [[nodiscard]] Ns instant() override;
    // Answers the last mark where that was recorded just now, else a new one: on the device a new one would lie there
    // too or, where the device had nothing to do, as much later as on the host.
    [[nodiscard]] Ns startInstant() override;
    void completed(const Span& work) override;
    void happened(const Milestone& milestone) override;
    [[nodiscard]] Ns hold() override;
    [[nodiscard]] std::optional<Ns> held(Ns number) override;
    void finished(const Work&) override {}
    void abandoned() noexcept override {}

    // Makes the host wait until the device has done everything; records all of it but operations.
    void catchUp();
    // Makes the host wait until the ends of operations are known too.
    void awaitOperations();
    void settleEntries();
    [[nodiscard]] Ns newestMark() const { return firstMark_ + static_cast<Ns>(marks_.size()) - 1; }
    [[nodiscard]] std::optional<Ns> known(Ns number);
    // Records the span; false where the device has not reached its end yet.
    bool settle(Span span);
    bool settle(Milestone milestone);
    // Drops the marks that no entry needs any more.
    void dropMarks();

    Clock& host_;
    const ComputeStream compute_;
    std::deque<Mark> marks_;
    Ns firstMark_ = 0;           // number of the first of marks_
    Ns markedAt_ = 0;            // instant at which the host began to record the last mark
    std::deque<Entry> entries_;  // in the order of their ends
    std::map<Ns, DeviceEvent> held_;
    Ns newestHeld_ = 0;
    bool trainingDone_ = false;
};

// Everything in `compute` outlives the executors.
[[nodiscard]] inline MakeExecutor onDevice(const ComputeStream& compute) {
    return [compute](Clock& clock, EventSink& sink, TraceLevel level, const CleanWindowOptions& windows) {
        return std::make_unique<DeviceExecutor>(clock, sink, level, compute, windows);
    };
}

}  // namespace dasgd
