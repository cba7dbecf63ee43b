#include "core/comm/emulated_link.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include "core/comm/group_places.h"
#include "core/comm/timer.h"

namespace dasgd {

namespace {

Ns nanoseconds(double seconds) { return static_cast<Ns>(std::llround(seconds * 1e9)); }

// One rank's port to the network: when each direction is free again. Thread-safe.
class Port {
public:
    Port(const LinkCost& link, Clock& clock) : link_(link), clock_(clock), timer_(clock) {}

    // Takes the next place in the queue for a message of `bytes` that is launched now; returns when it begins to leave.
    Ns depart(std::int64_t bytes) {
        const std::lock_guard lock(mutex_);
        const Ns start = std::max(clock_.now(), sendFree_);
        sendFree_ = start + occupied(bytes);
        return start;
    }
    // End of a message that departed at `departed` and whose real send ended at `ended`. Where the receiver came so
    // late that its place has passed, it queues again.
    Ns sent(std::int64_t bytes, Ns departed, Ns ended) {
        const std::lock_guard lock(mutex_);
        Ns start = std::max(departed, ended);
        if (ended > departed + occupied(bytes)) {
            start = std::max(start, sendFree_);
            sendFree_ = start + occupied(bytes);
        }
        return start + occupied(bytes) + latency();
    }
    // End of a message whose real receive ended at `ended`.
    Ns received(std::int64_t bytes, Ns ended) {
        const std::lock_guard lock(mutex_);
        const Ns start = std::max(ended, receiveFree_);
        receiveFree_ = start + occupied(bytes);
        return receiveFree_ + latency();
    }
    // Start (when its turn came) and end of a collective of `seconds` whose real one ended at `ended`.
    Interval collective(double seconds, Ns launched, Ns ended) {
        const std::lock_guard lock(mutex_);
        const Ns free = std::max(sendFree_, receiveFree_);
        const Ns end = std::max(ended, free) + nanoseconds(seconds);
        sendFree_ = receiveFree_ = end;
        const Ns start = std::max(launched, std::exchange(collectiveFree_, end));
        return {start, end};
    }

    [[nodiscard]] const LinkCost& link() const { return link_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    [[nodiscard]] Timer& timer() { return timer_; }
    // Number of sends that the timer has still to hand over: no later send may pass them.
    std::atomic<int>& queued() { return queued_; }

private:
    [[nodiscard]] Ns occupied(std::int64_t bytes) const { return nanoseconds(static_cast<double>(bytes) * link_.beta); }
    [[nodiscard]] Ns latency() const { return nanoseconds(link_.alpha); }

    const LinkCost link_;
    Clock& clock_;
    std::mutex mutex_;
    Ns sendFree_ = 0, receiveFree_ = 0, collectiveFree_ = 0;
    std::atomic<int> queued_ = 0;
    Timer timer_;
};

// Ends at an instant that is computed when the real operation has ended. A wait sleeps until then by itself; the timer
// is needed for chains alone.
class EmulatedOperation final : public Pending::Operation, public std::enable_shared_from_this<EmulatedOperation> {
public:
    // Computes the interval from that of the real operation. Called once, by the thread that ends it.
    using Emulate = std::function<Interval(const Interval& real)>;

    EmulatedOperation(std::shared_ptr<Port> port, Emulate emulate)
        : port_(std::move(port)), emulate_(std::move(emulate)) {}

    // Sets the real operation, which has been launched.
    void start(const Pending& inner) {
        {
            const std::lock_guard lock(mutex_);
            inner_ = inner.operation();
        }
        condition_.notify_all();
        inner.operation()->onEnd([self = shared_from_this()] { self->resolve(); });
    }
    // Fails because the real operation could not be launched.
    void fail(const std::string& error) {
        {
            const std::lock_guard lock(mutex_);
            error_ = error;
        }
        finish();
    }

    void wait() override {
        std::unique_lock lock(mutex_);
        // Bounded: a send is launched as soon as the messages before it have left.
        condition_.wait(lock, [&] { return inner_ || finished_; });
        if (inner_) {
            lock.unlock();
            inner_->wait();
            lock.lock();
            // The launching thread may not have called resolve() yet.
            condition_.wait(lock, [&] { return outcome_ || finished_; });
        }
        if (!outcome_) throw CommError(error_);
        const Ns end = outcome_->interval.end;
        lock.unlock();
        port_->clock().sleepUntil(end);
        lock.lock();
        condition_.wait(lock, [&] { return finished_ || callbacks_.empty(); });
    }
    // The deadline is the real operation's.
    void waitForAny(const std::vector<Operation*>& operations) override {
        const auto inner = real();
        inner ? inner->waitForAny(operations) : wait();
    }
    bool done() override {
        const std::lock_guard lock(mutex_);
        if (finished_) return true;
        if (!outcome_ || !callbacks_.empty()) return false;
        return port_->clock().now() >= outcome_->interval.end;
    }
    bool cancel() override {
        const auto inner = real();
        return inner && inner->cancel();
    }
    // The end is known before it comes: the outcome waits for the emulated instant.
    std::optional<Pending::Outcome> outcome() override {
        const std::lock_guard lock(mutex_);
        return outcome_ && port_->clock().now() >= outcome_->interval.end ? outcome_ : std::nullopt;
    }
    void onEnd(std::function<void()> callback) override {
        {
            const std::lock_guard lock(mutex_);
            const bool ended = outcome_ && port_->clock().now() >= outcome_->interval.end;
            if (!finished_ && !(ended && callbacks_.empty())) {
                callbacks_.push_back(std::move(callback));
                if (outcome_ && callbacks_.size() == 1) schedule(outcome_->interval.end);
                return;
            }
        }
        callback();
    }

private:
    std::shared_ptr<Operation> real() {
        const std::lock_guard lock(mutex_);
        return inner_;
    }

    // Takes over the outcome of the real operation, which ended, failed or was cancelled.
    void resolve() {
        const auto real = inner_->outcome();
        if (!real) return finish();
        const Interval interval = emulate_(real->interval);
        const std::lock_guard lock(mutex_);
        outcome_ = Pending::Outcome{interval, real->source};
        condition_.notify_all();
        if (!callbacks_.empty()) schedule(interval.end);
    }

    void schedule(Ns end) {
        port_->timer().at(end, [self = shared_from_this()] { self->finish(); });
    }

    void finish() {
        std::unique_lock lock(mutex_);
        while (!callbacks_.empty()) {
            const std::vector<std::function<void()>> callbacks = callbacks_;
            lock.unlock();
            for (const auto& callback : callbacks) callback();
            lock.lock();
            callbacks_.erase(callbacks_.begin(), callbacks_.begin() + static_cast<std::ptrdiff_t>(callbacks.size()));
        }
        finished_ = true;
        condition_.notify_all();
    }

    const std::shared_ptr<Port> port_;
    const Emulate emulate_;
    std::mutex mutex_;
    std::condition_variable condition_;
    std::shared_ptr<Operation> inner_;  // none yet: a send that queues
    std::optional<Pending::Outcome> outcome_;
    std::string error_ = "the operation was not launched";
    std::vector<std::function<void()>> callbacks_;
    bool finished_ = false;  // finished, and the callbacks have run
};

class EmulatedLink final : public Communicator {
public:
    EmulatedLink(std::shared_ptr<Communicator> inner, std::shared_ptr<Port> port)
        : Communicator(inner->group()), inner_(std::move(inner)), port_(std::move(port)) {}

private:
    Pending start(CollectiveCall call, std::uint64_t number) override {
        countSent(bytesOnWire(call, rank(), size()));
        const double seconds = collectiveSeconds(call, port_->link(), size());
        const auto operation = std::make_shared<EmulatedOperation>(
            port_, [port = port_, seconds, launched = port_->clock().now()](const Interval& real) {
                return port->collective(seconds, launched, real.end);
            });
        operation->start(inner_->launch(std::move(call)));
        return Pending(operation, number);
    }

    Pending start(MessageCall call) override {
        const auto bytes = static_cast<std::int64_t>(call.tensor.nbytes());
        return call.sends ? send(std::move(call), bytes) : receive(std::move(call), bytes);
    }

    void countedFrom(std::uint32_t collectives) override { inner_->countCollectivesFrom(collectives); }

    std::unique_ptr<Communicator> open(Group group) override {
        return std::make_unique<EmulatedLink>(inner_->split(placesOf(group, this->group())), port_);
    }

    Pending receive(MessageCall call, std::int64_t bytes) {
        const auto operation = std::make_shared<EmulatedOperation>(
            port_, [port = port_, bytes, launched = port_->clock().now()](const Interval& real) -> Interval {
                // The interval starts when both ends were launched: waiting for a late sender is no transfer.
                return {std::max(launched, real.start), port->received(bytes, real.end)};
            });
        operation->start(inner_->launch(std::move(call)));
        return Pending(operation);
    }

    Pending send(MessageCall call, std::int64_t bytes) {
        countSent(bytes);
        const Ns launched = port_->clock().now();
        const Ns departs = port_->depart(bytes);
        const auto operation = std::make_shared<EmulatedOperation>(
            port_, [port = port_, bytes, launched, departs](const Interval& real) -> Interval {
                return {launched, port->sent(bytes, departs, real.end)};
            });
        if (departs <= launched && port_->queued() == 0) {
            operation->start(inner_->launch(std::move(call)));
            return Pending(operation);
        }
        ++port_->queued();
        port_->timer().at(departs, [operation, port = port_, inner = inner_, call = std::move(call)] {
            try {
                operation->start(inner->launch(call));
            } catch (const std::exception& error) {
                operation->fail(error.what());
            }
            --port->queued();
        });
        return Pending(operation);
    }

    std::shared_ptr<Communicator> inner_;
    std::shared_ptr<Port> port_;
};

}  // namespace

double collectiveSeconds(const CollectiveCall& call, const LinkCost& link, int ranks) {
    const auto bytes = static_cast<double>(call.in.nbytes());
    LinkCost wire = link;
    wire.rho = 0;
    switch (call.kind) {
        case CollectiveKind::AllReduce: return ringAllReduceSeconds(wire, bytes, ranks);
        case CollectiveKind::ReduceScatter: return reduceScatterSeconds(wire, bytes, ranks);
        case CollectiveKind::AllGather: return allGatherSeconds(wire, bytes, ranks);
        case CollectiveKind::AllToAll: return allToAllSeconds(wire, bytes, ranks);
        case CollectiveKind::Broadcast: return broadcastSeconds(wire, bytes, ranks);
        case CollectiveKind::AllGatherV: break;
    }
    const std::int64_t most = *std::ranges::max_element(call.counts);
    return allGatherSeconds(wire, static_cast<double>(most) * static_cast<double>(call.in.element_size()), ranks);
}

std::unique_ptr<Communicator> emulateLink(std::unique_ptr<Communicator> inner, const LinkCost& link, Clock& clock) {
    return std::make_unique<EmulatedLink>(std::move(inner), std::make_shared<Port>(link, clock));
}

}  // namespace dasgd
