// A communication that is under way. Move-only.
//
// The operation ends by itself, whether anybody waits or not: its instants are taken when it ends, never at the wait.
// One thread at a time uses a Pending. Dropping one neither waits nor cancels; the operation keeps its tensors alive.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/time_range.h"

namespace dasgd {

// A deadline passed, a peer went away, an operation was cancelled, or a library reported an error. `what()` names rank,
// operation, number and bytes. The only exception that leaves a communicator.
struct CommError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Start and end of the operation on this rank, on the run's time line. A collective starts when it was launched and the
// one before it on the same communicator had ended; a message when it was launched, or, where the backend knows, when
// both of its ends were; an exchange that a stream carries as one starts as a collective does. All end when the last
// byte has arrived, a send when its last byte has left.
using Interval = TimeRange;

class [[nodiscard]] Pending {
public:
    struct Outcome {
        Interval interval;
        std::optional<Rank> source;  // sender of the message, for a receive
    };

    // Implemented by each communicator. All functions may be called from any thread.
    class Operation {
    public:
        virtual ~Operation() = default;
        // Returns when the operation has ended. Throws CommError where it failed or was cancelled, and when its
        // deadline passes first. For an operation on a device's stream it returns as soon as the compute stream has
        // been made to wait for the end: what is computed from then on sees the result.
        virtual void wait() = 0;
        // Returns when one of these operations, this one among them, has ended, failed or was cancelled. Throws
        // CommError when the deadline of this one passes first. Default, where a backend cannot tell: waits for this
        // one.
        virtual void waitForAny([[maybe_unused]] const std::vector<Operation*>& operations) { wait(); }
        // True where the operation ended, failed or was cancelled: wait() returns or throws at once. Never blocks.
        virtual bool done() = 0;
        // See Pending::cancel.
        virtual bool cancel() = 0;
        // nullopt until the operation has ended without an error.
        virtual std::optional<Outcome> outcome() = 0;
        // Calls `callback` once, when the operation has ended, failed or was cancelled: on the thread that ends it,
        // before done() turns true; at once where that has happened. It may launch operations and must not wait or
        // throw.
        virtual void onEnd(std::function<void()> callback) = 0;
    };

    Pending() = default;
    explicit Pending(std::shared_ptr<Operation> operation, std::uint64_t collective = 0)
        : operation_(std::move(operation)), collective_(collective) {}
    Pending(Pending&&) = default;
    Pending& operator=(Pending&&) = default;

    // False where nothing was launched, or this was moved from.
    [[nodiscard]] explicit operator bool() const { return operation_ != nullptr; }

    // Blocks until the end, at most until the communicator's deadline, which counts from the call; on a device the
    // compute stream waits, not the host. Throws CommError.
    void wait() { operation_->wait(); }
    // Blocks until one of these, of which there is at least one and none is empty, has ended, failed or was cancelled.
    // All are of one communicator. Throws CommError past its deadline.
    static void waitForAny(const std::vector<Pending*>& all);
    // True from the end on, also where wait() will throw. Does not block.
    [[nodiscard]] bool done() { return operation_->done(); }
    // Withdraws a receive that no message has answered yet: its tensor will not be written, a later message of the same
    // tag goes to the next receive, and wait() throws. False, and no effect, for everything else.
    bool cancel() { return operation_->cancel(); }
    // nullopt until the end is known.
    [[nodiscard]] std::optional<Interval> interval() {
        const auto outcome = operation_->outcome();
        return outcome ? std::optional(outcome->interval) : std::nullopt;
    }
    // Sender of the message, for a receive that has ended; nullopt otherwise.
    [[nodiscard]] std::optional<Rank> source() {
        const auto outcome = operation_->outcome();
        return outcome ? outcome->source : std::nullopt;
    }
    // Chains a second operation behind this one: `launch` is called when this one has ended well, by the thread that
    // ends it and not by the training thread, and returns the second. What then() returns ends with the second and has
    // its interval; it fails with either, and without a second where the first fails.
    //
    // A collective that `launch` starts takes its number then, which is a different moment on every rank: start it on a
    // communicator (Communicator::split) on which nothing else is launched meanwhile.
    [[nodiscard]] Pending then(std::function<Pending()> launch) &&;

    // Number of the collective: 1, 2, … in launch order, the same on every rank of the communicator; those of a group
    // carry the group's key in the upper 32 bits, so that they are distinct within a run. 0 for messages. A chain has
    // the first operation's.
    [[nodiscard]] std::uint64_t collective() const { return collective_; }
    // Number of ranks that take part in a group's collective; 0 for all of the run, and for messages.
    [[nodiscard]] int ranks() const { return ranks_; }
    // For communicators that wrap another one.
    [[nodiscard]] const std::shared_ptr<Operation>& operation() const { return operation_; }

private:
    friend class Communicator;
    std::shared_ptr<Operation> operation_;
    std::uint64_t collective_ = 0;
    int ranks_ = 0;
};

}  // namespace dasgd
