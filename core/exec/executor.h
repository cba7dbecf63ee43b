// Runs a rank's work, waits for its communication, and records the start and end of both. All work of a rank goes
// through run() and all waiting through waitFor(): on a CPU the executor reads the clock, on the virtual cluster it
// charges simulated time, on a device it records events.
//
// Owner: the rank's training thread; one executor per rank. Recording makes no system call; a wait may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/comm/pending.h"
#include "core/exec/clean_windows.h"
#include "core/exec/trained_time.h"

namespace dasgd {

// Spans that are passed on to the sink. Off: none. Full: all; the collector stores them. Summary: those from which the
// overlap numbers are formed; the collector does not store them (storage/format.md). At Summary compute spans of no
// length are dropped, and a forward pass and the backward pass that follows it at once are joined into one span of kind
// Passes.
enum class TraceLevel : std::uint8_t { Off, Summary, Full };

// A piece of work of a rank, for run().
struct Work {
    SpanKind kind = SpanKind::Forward;
    // Size of the work, which its span carries: for a snapshot or a merge the bytes of memory that it goes over,
    // for a forward pass the number of samples (not bytes), 0 where nothing needs it. Work that a wait interrupts is
    // recorded in parts, of which the first carries the size.
    std::int64_t bytes = 0;
    std::uint64_t collective = 0;  // number of the collective whose result is used; 0: none
};

// True for kinds of work that change values of tensors and do nothing else: they neither communicate nor allocate
// memory that outlives them. In a time-only run such work is not done.
[[nodiscard]] constexpr bool changesOnlyTensors(SpanKind kind) {
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

    // Does `work` by calling `f`, and records it on the compute lane from start to end. Calls nest; a wait inside other
    // work interrupts it: the time before and the time after the wait are recorded as two spans of that work. Work of
    // the kinds Eval, Checkpoint and Other (the profiler) ends the clean window and is no trained time. In a time-only
    // run `f` is not called for work of which changesOnlyTensors() is true. Throws what `f` throws, after the work up
    // to then was recorded, and CommError where the rank's host failed for good in simulated time; that work is not
    // recorded.
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

    // Does `work` within the backward pass under way, from inside autograd: its time is part of the pass, whose span is
    // the only one. `f` is called as by run(), and must not wait.
    template <class F>
    void runInPass(const Work& work, F&& f) {
        if (!skips(work)) f();
        finished(work);
    }

    // Waits for an operation that was launched at step `launchedAt` with a payload of `bytes`. Records a span of kind
    // Wait unless the operation had ended before, and one of kind Reduce on the communication lane for the operation,
    // whatever it is: a collective, a send or a receive. Where the end of the operation is not known yet, flush()
    // records it later. `pending` is empty afterwards. Returns the sender of a receive, where it is known. Throws what
    // Pending::wait throws; the wait is recorded even then, the operation is not. `name`: a literal that tells what a
    // message carries, for sinks that keep names (NamedSpanSink); "" for none.
    std::optional<Rank> waitFor(Pending& pending, std::int64_t launchedAt, std::int64_t bytes,
                                std::string_view name = {});

    // Waits until one of these operations has ended, failed or was cancelled; records a span of kind Wait unless one
    // had. waitFor() then records that one. Throws as Pending::waitForAny().
    void waitForAny(const std::vector<Pending*>& all);

    // Records the operations whose end has become known since they were waited for, in the order of the waits, up to
    // the first whose end is still unknown; and passes on the forward pass that Summary holds back. Throws CommError
    // where one of the operations has failed.
    virtual void flush();

    // Ends the present step at `now`, and flushes.
    void stepDone(Ns now);
    // Called once, after the last step: later events belong to no clean window.
    void trainingDone() { happened({.kind = Milestone::Kind::TrainingDone}); }
    // Clean windows, or parts of one, that were completed since the last call, in order. Available at every trace
    // level.
    [[nodiscard]] std::vector<CleanWindow> takeWindows() { return windows_.take(); }
    // Time for which the rank has trained by `now`, without evaluations, checkpoints and the profiler's work. Available
    // at every trace level.
    [[nodiscard]] Ns trainedUntil(Ns now) const { return trained_.until(now); }

    // Called from inside autograd when the backward pass under way has computed the gradient of parameter `slot`.
    virtual void gradientReady(std::size_t slot) = 0;
    // Called when the forward or backward pass under way, which `pass` names, is done with the layer of parameter
    // `slot`. Precondition: the caller is not inside autograd, so the rank may wait. Throws as run() does.
    virtual void layerDone(SpanKind pass, std::size_t slot) = 0;
    // Announces the next batch: it has the fraction `share` of the samples of a full one, and its passes take that
    // fraction of the time. `sameStep`: it is a further micro-batch of the step under way.
    virtual void setBatchShare(double share, bool sameStep) = 0;
    // Turns the cost of communication in simulated time off or on; it is off for setup and evaluation, which are no
    // part of the algorithm.
    virtual void setUntimed(bool untimed) = 0;

    [[nodiscard]] TraceLevel level() const { return level_; }
    [[nodiscard]] EventSink& sink() { return sink_; }

protected:
    // True where run() records `work` and charges its time, but does not call its function.
    [[nodiscard]] virtual bool skips(const Work&) const { return false; }
    // Called after the function of `work` returned; in simulated time it moves the clock on. May throw CommError.
    virtual void finished(const Work& work) = 0;
    // Called instead where that function threw: time that was to be charged for the work is dropped.
    virtual void abandoned() noexcept = 0;

    // An event on which the clean windows and the trained time depend.
    struct Milestone {
        enum class Kind : std::uint8_t { Waited, Disturbed, Resumed, StepDone, TrainingDone };
        Kind kind{};
        std::int64_t step = 0;  // for Waited the step at which the operation was launched, else the present step
        Ns at = 0;              // answer of instant(), for Disturbed, Resumed and StepDone
    };
    // Instants of a CPU and of simulated time are known when they are asked for. A device's are not: there instant(),
    // startInstant() and hold() answer a number that stands for the instant, and the executor of the device resolves it
    // in completed(), happened() and held().
    //
    // The present instant, at which work starts or ends.
    [[nodiscard]] virtual Ns instant() { return clock_.now(); }
    // The present instant, at which work starts that is not nested in other work. A device may answer with the end of
    // the work before.
    [[nodiscard]] virtual Ns startInstant() { return instant(); }
    // Records a span of work whose start and end are answers of instant() or startInstant().
    virtual void completed(const Span& work) { add(work); }
    // Records a milestone whose instant is an answer of instant().
    virtual void happened(const Milestone& milestone) { apply(milestone); }
    // A number for the present instant, which held() resolves; nullopt until the instant is known.
    [[nodiscard]] virtual Ns hold() { return clock_.now(); }
    [[nodiscard]] virtual std::optional<Ns> held(Ns number) { return number; }
    // Passes a span with resolved instants on to the sink, as the trace level demands.
    void add(const Span& span, std::string_view name = {});
    // Passes a milestone with a resolved instant on to the clean windows and the trained time.
    void apply(const Milestone& milestone);
    // True where no work is under way.
    [[nodiscard]] bool isIdle() const { return open_ == nullptr; }
    // True where operations were waited for whose ends are not known yet.
    [[nodiscard]] bool hasUnendedOperations() const { return !unended_.empty(); }

private:
    // Work under way. It lives on the stack, in run().
    struct Open {
        Work work;
        std::int64_t step = 0;
        Ns start = 0;            // start of the part that is not recorded yet
        std::int64_t bytes = 0;  // size of the work; 0 once a part of it was recorded
        Open* outer = nullptr;   // the work in which this one is nested; null: none
    };
    // An operation that was waited for and is not recorded yet, because its end is not known.
    struct Unended {
        Pending pending;
        std::int64_t launchedAt = 0;  // step
        std::int64_t bytes = 0;       // payload
        std::string_view name;
        // Number, by hold(), of the instant at which the wait returned; only where training was paused while the
        // operation may have been under way.
        std::optional<Ns> returned;
    };

    // The parts of run(): before the function, after it returned, after it threw, and the end of both.
    void enter(Open& open);
    void leave(Open& open);
    void abandon(Open& open);
    void close(const Open& open);
    // Records the part of the work from its start to `end`.
    void record(const Open& open, Ns end);
    // Records the operation where its end is known; false where it is not. Throws CommError where it failed.
    bool tryToRecord(Unended& operation);
    // At Summary: takes `span` where it is a forward pass, which is held back, or the backward pass that is joined to
    // one. False where `span` is still to be passed on.
    bool takePass(const Span& span);
    // Answers of instant() and startInstant(); 0 at Off, where no span is recorded.
    [[nodiscard]] Ns now() { return level_ == TraceLevel::Off ? 0 : instant(); }
    [[nodiscard]] Ns startNow() { return level_ == TraceLevel::Off || !isIdle() ? now() : startInstant(); }
    // Instant of a milestone, which is needed at every trace level: `taken`, an answer of now(), or the clock at Off.
    [[nodiscard]] Ns known(Ns taken) const { return level_ == TraceLevel::Off ? clock_.now() : taken; }

    Clock& clock_;
    EventSink& sink_;
    TraceLevel level_;
    std::int64_t step_ = 0;
    CleanWindows windows_;
    TrainedTime trained_;
    Open* open_ = nullptr;         // innermost work under way; null: none
    std::deque<Unended> unended_;  // in the order of the waits
    std::optional<Span> forward_;  // at Summary: forward pass that is held back until the next span
};

// Makes the executor of a rank for its device.
using MakeExecutor = std::function<std::unique_ptr<Executor>(Clock& clock, EventSink& sink, TraceLevel level,
                                                             const CleanWindowOptions& windows)>;

// Makes communication untimed (Executor::setUntimed) as long as the object lives. `executor` outlives it; scopes must
// not nest.
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
