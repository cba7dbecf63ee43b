#include "core/comm/stream/stream_queue.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "core/comm/completion.h"

namespace dasgd {

namespace {

class StreamOperation;
using Operations = std::deque<std::shared_ptr<StreamOperation>>;

}  // namespace

class StreamQueue::Impl {
public:
    Impl(Device& device, DeviceClock& times, const Clock& clock, const StreamQueueOptions& options)
        : device_(device), times_(times), clock_(clock), options_(options), stream_(device, options.priority) {}

    [[nodiscard]] std::shared_ptr<StreamOperation> launch(const std::shared_ptr<Impl>& self, StreamCall call);
    [[nodiscard]] std::optional<std::string> poll();
    void fail(const std::string& reason);
    // Breaks the reference cycle between this object and its operations.
    void forget();

    // Makes the compute stream wait for `event`.
    void makeComputeWait(const DeviceEvent& event) { device_.makeWait(options_.compute, event); }

private:
    // Moves the operations of open_ that the device has ended into `passed`.
    void takePassed(Operations& passed);
    // Error where the first of open_ has passed its deadline; nullopt where it has not.
    [[nodiscard]] std::optional<std::string> overdue();

    Device& device_;
    DeviceClock& times_;
    const Clock& clock_;
    const StreamQueueOptions options_;
    const DeviceStream stream_;
    std::mutex mutex_;  // guards the members below, and the order in which the stream is given its work
    Operations open_;
    Operations lost_;       // failed, but the device may still write to their tensors
    Ns turnSince_ = 0;      // when the turn of the first of open_ came, or when it was seen to have started
    bool started_ = false;  // the first of open_ has started
    Ns lastEnd_ = 0;        // end of the newest operation that has ended
    std::string broken_;    // reason why every operation fails
};

namespace {

class StreamOperation final : public Pending::Operation {
public:
    StreamOperation(std::shared_ptr<StreamQueue::Impl> queue, Completion::Facts facts, std::vector<at::Tensor> tensors)
        : label(facts.label), completion(std::move(facts)), tensors(std::move(tensors)), queue_(std::move(queue)) {}

    void wait() override {
        if (completion.done()) return completion.wait();
        try {
            queue_->makeComputeWait(ended);
        } catch (const DeviceError& error) {
            throw CommError(label + " failed: " + error.what());
        }
    }
    bool done() override { return completion.done(); }
    bool cancel() override { return false; }
    std::optional<Pending::Outcome> outcome() override { return completion.outcome(); }
    void onEnd(std::function<void()> callback) override { completion.onEnd(std::move(callback)); }

    const std::string label;
    Completion completion;
    std::vector<at::Tensor> tensors;
    Interval interval;           // once it has ended
    DeviceEvent started, ended;  // on the communication stream, around the work; set before anybody else has this

private:
    const std::shared_ptr<StreamQueue::Impl> queue_;
};

}  // namespace

std::shared_ptr<StreamOperation> StreamQueue::Impl::launch(const std::shared_ptr<Impl>& self, StreamCall call) {
    const Ns launched = clock_.now();
    auto operation = std::make_shared<StreamOperation>(
        self, Completion::Facts{.label = std::move(call.label), .launched = launched, .timeout = options_.timeout},
        std::move(call.tensors));
    std::string failure;
    try {
        const std::lock_guard lock(mutex_);
        if (!broken_.empty()) throw CommError(broken_);
        device_.makeWait(stream_.handle(), device_.record(options_.compute));
        operation->started = device_.record(stream_.handle());
        call.enqueue(stream_.handle());
        operation->ended = device_.record(stream_.handle());
        if (open_.empty()) {
            turnSince_ = launched;
            started_ = false;
        }
        open_.push_back(operation);
        return operation;
    } catch (const std::exception& error) {
        failure = firstLine(error);
    }
    operation->completion.fail(failure);
    return operation;
}

std::optional<std::string> StreamQueue::Impl::poll() {
    Operations passed;
    std::optional<std::string> reason;
    try {
        const std::lock_guard lock(mutex_);
        if (!broken_.empty()) return std::nullopt;
        takePassed(passed);
        reason = overdue();
    } catch (const DeviceError& error) {
        reason = error.what();
    }
    for (const auto& operation : passed) {
        operation->tensors.clear();
        operation->completion.end({operation->interval, std::nullopt});
    }
    if (reason) fail(*reason);
    return reason;
}

void StreamQueue::Impl::takePassed(Operations& passed) {
    while (!open_.empty() && device_.hasPassed(open_.front()->ended)) {
        StreamOperation& operation = *open_.front();
        turnSince_ = clock_.now();
        started_ = false;
        // Bounds that are known better than the device's clock: an operation starts after its launch and after the end
        // of the one before it, and has ended by now.
        const Ns start = std::max({times_.instantOf(operation.started), operation.completion.launched(), lastEnd_});
        lastEnd_ = std::max(start, std::min(times_.instantOf(operation.ended), turnSince_));
        operation.interval = {start, lastEnd_};
        passed.push_back(std::move(open_.front()));
        open_.pop_front();
    }
}

std::optional<std::string> StreamQueue::Impl::overdue() {
    if (open_.empty()) return std::nullopt;
    const Ns now = clock_.now();
    // The deadline counts from the operation's own start: time that the device spends computing before it is not
    // charged to it.
    if (!started_ && device_.hasPassed(open_.front()->started)) {
        started_ = true;
        turnSince_ = now;
    }
    if (now - turnSince_ <= std::chrono::nanoseconds(options_.timeout).count()) return std::nullopt;
    return open_.front()->label + " did not end within " + std::to_string(options_.timeout.count()) + " ms" +
           (started_ ? "" : "; the device has not come to it");
}

void StreamQueue::Impl::fail(const std::string& reason) {
    Operations lost;
    {
        const std::lock_guard lock(mutex_);
        if (broken_.empty()) broken_ = reason;
        lost = open_;
        lost_.insert(lost_.end(), open_.begin(), open_.end());
        open_.clear();
    }
    for (const auto& operation : lost) operation->completion.fail(reason);
}

void StreamQueue::Impl::forget() {
    Operations lost;
    const std::lock_guard lock(mutex_);
    lost.swap(lost_);
}

StreamQueue::StreamQueue(Device& device, DeviceClock& times, const Clock& clock, const StreamQueueOptions& options)
    : impl_(std::make_shared<Impl>(device, times, clock, options)) {}

StreamQueue::~StreamQueue() {
    impl_->fail("its communicator is closed");
    impl_->forget();
}

Pending StreamQueue::launch(StreamCall call) {
    const std::uint64_t collective = call.collective;
    return Pending(impl_->launch(impl_, std::move(call)), collective);
}

std::optional<std::string> StreamQueue::poll() { return impl_->poll(); }

void StreamQueue::fail(const std::string& reason) { impl_->fail(reason); }

}  // namespace dasgd
