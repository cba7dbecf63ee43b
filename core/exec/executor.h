// Runs a rank's work, waits for its communication, and records the start and end of both. Everything that takes a rank
// time goes through run() or waitFor(): on a real machine the executor reads the clock, on
// the virtual cluster it charges simulated time, on a device it records events.
//
// Owner: the rank's training thread; one executor a rank. Makes no system call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/comm/pending.h"
#include "core/exec/clean_windows.h"
#include "core/exec/trained_time.h"

namespace dasgd {

// Spans at Summary are recorded as at Full, to form numbers from them, but not kept (storage/format.md).
enum class TraceLevel : std::uint8_t { Off, Summary, Full };

struct Work {
    SpanKind kind = SpanKind::Forward;
    // Memory that a snapshot or a merge goes over; samples of a forward pass, which tell steps of unequal work apart; 0
    // where that is of no interest. Work that a wait interrupts is recorded in parts: the first has the bytes.
    std::int64_t bytes = 0;
    std::uint64_t collective = 0;  // whose result is used; 0: none
};

// True for work that changes values of tensors and nothing else: it neither communicates nor allocates what outlives
// it.
[[nodiscard]] constexpr bool onlyComputes(SpanKind kind) {
    return kind == SpanKind::Data || kind == SpanKind::Update || kind == SpanKind::Snapshot || kind == SpanKind::Merge;
}

class Executor {
public:
    // `clock` and `sink` outlive the executor.
    Executor(Clock& clock, EventSink& sink, TraceLevel level, const CleanWindowOptions& windows = {})
        : clock_(clock), sink_(sink), level_(level), windows_(windows) {}
    virtual ~Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // Sets the step that spans carry from now on.
    void moveTo(std::int64_t step) { step_ = step; }

    // Does `work` by calling `f`, and records it on the compute lane from start to end. Calls nest; a wait inside a
    // pass interrupts it: what is recorded of the pass is the time before and after. Throws what `f` throws, having
    // recorded the work so far, and CommError where the rank's host failed for good in simulated time. An evaluation or
    // a checkpoint ends the clean window. Where time alone is simulated, `f` of work that onlyComputes() is not called.
    template <class F>
    void run(const Work& work, F&& f) {
        Open open{.work = work, .step = step_, .start = startNow(), .bytes = work.bytes, .outer = open_};
        enter(open);
        try {
            if (!skips(work)) f();
        } catch (...) {
            abandon(open);
            throw;
        }
        leave(open);
    }

    // Waits for an operation that was launched at step `launchedAt` with a payload of `bytes`, and records the wait, if
    // there was one, and the operation. `pending` is empty afterwards. Throws what Pending::wait throws; the wait is
    // recorded even then. Returns the sender, for a receive.
    std::optional<Rank> waitFor(Pending& pending, std::int64_t launchedAt, std::int64_t bytes);

    // Records operations that were waited for and whose end was not known then but is now, in the order of the waits.
    // Throws CommError where one has failed since.
    virtual void flush();

    // Ends the present step, at `now`.
    void stepDone(Ns now);
    // Called when the last step was made: later events belong to no window.
    void stepsDone() { happened({.kind = Milestone::Kind::StepsDone}); }
    // Clean windows, or parts of one, that were completed since the last call, in order. Available at every trace
    // level.
    [[nodiscard]] std::vector<CleanWindow> takeWindows() { return windows_.take(); }
    // Time for which the rank has trained by `now`, without evaluations and checkpoints. Available at every trace
    // level.
    [[nodiscard]] Ns trainedUntil(Ns now) const { return trained_.until(now); }

    // Called from inside autograd when the backward pass under way has the gradient of parameter `slot` ready.
    virtual void gradientReady(std::size_t slot) = 0;
    // Called when the forward or backward pass under way, whichever `pass` says, is done with the layer of parameter
    // `slot`, and nothing is inside autograd: the rank may wait now. Throws as run() does.
    virtual void layerDone(SpanKind pass, std::size_t slot) = 0;
    // The next batch has this share of a full one's samples, and its passes that share of the time. `sameStep`: it is a
    // further micro-batch of the step under way.
    virtual void setBatchShare(double share, bool sameStep) = 0;
    // While untimed, communication takes no simulated time: evaluation and setup are no part of the algorithm.
    virtual void setUntimed(bool untimed) = 0;

    [[nodiscard]] TraceLevel level() const { return level_; }
    [[nodiscard]] EventSink& sink() { return sink_; }

protected:
    // True where `work` is recorded and takes its time, but is not done.
    [[nodiscard]] virtual bool skips(const Work&) const { return false; }
    // Called when `work` was done; the clock moves on where time is simulated. May throw CommError.
    virtual void finished(const Work& work) = 0;
    // Called when the work under way failed: what it had planned does not happen.
    virtual void abandoned() noexcept = 0;

    // An event that the clean windows and the trained time depend on.
    struct Milestone {
        enum class Kind : std::uint8_t { Waited, Disturbed, Resumed, StepDone, StepsDone };
        Kind kind{};
        std::int64_t step = 0;  // for Waited: at which the operation was launched
        Ns at = 0;              // for Disturbed, Resumed and StepDone
    };
    // The present instant, where work starts or ends. A device answers with a number of its own, which completed() and
    // happened() turn into an instant later.
    [[nodiscard]] virtual Ns instant() { return clock_.now(); }
    // Like instant(), for the start of work that is inside no other: nothing was done since the work before it ended.
    [[nodiscard]] virtual Ns startInstant() { return instant(); }
    // Records work whose start and end are answers of instant().
    virtual void completed(const Span& work) { add(work); }
    virtual void happened(const Milestone& milestone) { apply(milestone); }
    // Number of the present instant; held() answers the instant itself once it is known.
    [[nodiscard]] virtual Ns hold() { return clock_.now(); }
    [[nodiscard]] virtual std::optional<Ns> held(Ns number) { return number; }
    // Passes the span on to the records, and the milestone to the clean windows and the trained time.
    void add(const Span& span);
    void apply(const Milestone& milestone);
    // True where no work is under way.
    [[nodiscard]] bool isIdle() const { return open_ == nullptr; }
    // True where an operation was waited for whose end is not known yet.
    [[nodiscard]] bool hasUnendedOperations() const { return !unended_.empty(); }

private:
    // Work under way; lives in run().
    struct Open {
        Work work;
        std::int64_t step = 0;
        Ns start = 0;
        std::int64_t bytes = 0;  // that no record has yet
        Open* outer = nullptr;
    };
    // An operation that was waited for and whose end is not known yet.
    struct Unended {
        Pending pending;
        std::int64_t launchedAt = 0;
        std::int64_t bytes = 0;
        std::optional<Ns> returned;  // when the wait did; where the operation may have gone on during a pause
    };

    void enter(Open& open);
    void leave(Open& open);
    void abandon(Open& open);
    void close(const Open& open);
    void record(const Open& open, Ns end);
    // Records the operation; false where its end is not known yet.
    bool record(Unended& ended);
    // True where `span` is part of a record of both passes, kept or emitted.
    bool joins(const Span& span);
    [[nodiscard]] Ns now() { return level_ == TraceLevel::Off ? 0 : instant(); }
    [[nodiscard]] Ns startNow() { return level_ == TraceLevel::Off || !isIdle() ? now() : startInstant(); }
    // Instant for what is needed at every trace level; `taken` is now()'s answer, which is none at Off.
    [[nodiscard]] Ns known(Ns taken) const { return level_ == TraceLevel::Off ? clock_.now() : taken; }

    Clock& clock_;
    EventSink& sink_;
    TraceLevel level_;
    std::int64_t step_ = 0;
    CleanWindows windows_;
    TrainedTime trained_;
    Open* open_ = nullptr;  // the innermost
    std::deque<Unended> unended_;
    std::optional<Span> forward_;  // at Summary: kept until it is known whether the backward pass touches it
};

// Makes the executor of a rank for its device.
using MakeExecutor = std::function<std::unique_ptr<Executor>(Clock& clock, EventSink& sink, TraceLevel level,
                                                             const CleanWindowOptions& windows)>;

// Communication is untimed for as long as the object lives.
class UntimedScope {
public:
    explicit UntimedScope(Executor& executor) : executor_(executor) { executor_.setUntimed(true); }
    ~UntimedScope() { executor_.setUntimed(false); }
    UntimedScope(const UntimedScope&) = delete;
    UntimedScope& operator=(const UntimedScope&) = delete;

private:
    Executor& executor_;
};

}  // namespace dasgd
