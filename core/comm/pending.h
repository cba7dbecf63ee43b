// A communication that is under way. Move-only; waited for once.
#pragma once

#include <memory>

#include "core/base/clock.h"
#include "core/base/time_range.h"

namespace dasgd {

// When the operation truly began and ended on this rank, on the run's time line. A collective begins when it was
// launched and everything queued before it on this rank's link had ended; it ends when the last byte arrived.
using Interval = TimeRange;

class [[nodiscard]] Pending {
public:
    // Implemented by each communicator. `wait` throws CommError past the deadline or when a peer is gone.
    class Operation {
    public:
        virtual ~Operation() = default;
        virtual void wait() = 0;
        virtual bool done() = 0;
        virtual Interval interval() = 0;  // after wait()
    };

    Pending() = default;
    explicit Pending(std::shared_ptr<Operation> operation, std::uint64_t collective = 0)
        : operation_(std::move(operation)), collective_(collective) {}
    Pending(Pending&&) = default;
    Pending& operator=(Pending&&) = default;

    // Nothing to wait for: never launched, or waited for already and reset.
    [[nodiscard]] explicit operator bool() const { return operation_ != nullptr; }
    void wait() { operation_->wait(); }
    [[nodiscard]] bool done() { return operation_->done(); }
    [[nodiscard]] Interval interval() { return operation_->interval(); }
    // 1, 2, … in launch order, the same on every rank.
    [[nodiscard]] std::uint64_t collective() const { return collective_; }

private:
    std::shared_ptr<Operation> operation_;
    std::uint64_t collective_ = 0;
};

}  // namespace dasgd
