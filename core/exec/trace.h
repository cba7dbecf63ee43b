// Where a rank's spans and metrics go. Called from the training thread; makes no system call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/overlap.h"
#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/comm/pending.h"
#include "core/exec/simulated_time.h"

namespace dasgd {

enum class TraceLevel : std::uint8_t { Off, Summary, Full };

class Trace {
public:
    // `simulatedTime`, where time is simulated, learns of every scope that ends.
    Trace(Clock& clock, EventSink& sink, TraceLevel level, SimulatedTime* simulatedTime = nullptr)
        : clock_(clock), sink_(sink), level_(level), time_(simulatedTime) {}

    // Records from construction to destruction, on the compute lane unless told otherwise. A wait inside a pass
    // interrupts it: what is recorded of the pass is the time before and after.
    class [[nodiscard]] Scope {
    public:
        Scope(Trace& trace, SpanKind kind, std::int64_t step, std::uint64_t collective, std::int64_t bytes)
            : trace_(trace),
              outer_(std::exchange(trace.open_, this)),
              span_{.kind = kind, .step = step, .start = trace.now(), .bytes = bytes, .collective = collective} {
            if (interrupts()) outer_->recordUntil(span_.start);
        }
        // May throw what SimulatedTime::charge throws.
        ~Scope() noexcept(false) {
            trace_.open_ = outer_;
            if (trace_.time_) trace_.time_->charge(span_.kind, span_.bytes);
            recordUntil(trace_.now());
            if (interrupts()) outer_->span_.start = span_.end;
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        [[nodiscard]] bool interrupts() const { return outer_ && span_.kind == SpanKind::Wait; }
        void recordUntil(Ns end) {
            span_.end = end;
            trace_.add(span_);
        }

        Trace& trace_;
        Scope* outer_;
        Span span_;
    };
    Scope scope(SpanKind kind, std::int64_t step, std::uint64_t collective = 0, std::int64_t bytes = 0) {
        return {*this, kind, step, collective, bytes};
    }

    // Waits for a collective that was launched at step `launchedAt` with a payload of `bytes`, recording the wait (at
    // `step`, if there was one) and the reduction. Throws what Pending::wait throws; the wait is recorded even then.
    void await(Pending& pending, std::int64_t launchedAt, std::int64_t step, std::int64_t bytes);

    void add(const Span& span);
    [[nodiscard]] Ns now() const { return level_ == TraceLevel::Off ? 0 : clock_.now(); }
    // Zero while the level is Off.
    [[nodiscard]] OverlapSummary overlap() const { return meter_.summary(); }
    [[nodiscard]] TraceLevel level() const { return level_; }
    [[nodiscard]] EventSink& sink() { return sink_; }

private:
    Clock& clock_;
    EventSink& sink_;
    TraceLevel level_;
    SimulatedTime* time_;
    OverlapMeter meter_;
    Scope* open_ = nullptr;  // the innermost
};

}  // namespace dasgd
