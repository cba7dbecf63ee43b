#include "core/exec/executor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/named_spans.h"

namespace dasgd {

namespace {

// True for work that splits the span of the work in which it is nested.
bool interrupts(const Work& work) { return work.kind == SpanKind::Wait; }

// True for work that ends a clean window and pauses the trained time. Other: work of the program itself within a step,
// such as profiling it.
bool disturbs(const Work& work) {
    return work.kind == SpanKind::Eval || work.kind == SpanKind::Checkpoint || work.kind == SpanKind::Other;
}

}  // namespace

void Executor::enter(Open& open) {
    if (open.outer && interrupts(open.work)) {
        record(*open.outer, open.start);
        open.outer->bytes = 0;
    }
    if (disturbs(open.work)) {
        happened({.kind = Milestone::Kind::Disturbed, .step = step_, .at = known(open.start)});
    }
    // Set last: where one of the calls above throws, `open` goes out of scope in run() and must not be referred to.
    open_ = &open;
}

void Executor::leave(Open& open) {
    open_ = open.outer;
    finished(open.work);
    close(open);
}

void Executor::abandon(Open& open) {
    open_ = open.outer;
    abandoned();
    close(open);
}

void Executor::close(const Open& open) {
    const Ns end = now();
    if (disturbs(open.work)) happened({.kind = Milestone::Kind::Resumed, .at = known(end)});
    record(open, end);
    if (open.outer && interrupts(open.work)) open.outer->start = end;
}

void Executor::record(const Open& open, Ns end) {
    completed({.kind = open.work.kind,
               .step = open.step,
               .start = open.start,
               .end = end,
               .bytes = open.bytes,
               .collective = open.work.collective});
}

std::optional<Rank> Executor::waitFor(Pending& pending, std::int64_t launchedAt, std::int64_t bytes,
                                      std::string_view name) {
    if (pending.done()) {
        pending.wait();
    } else {
        run({.kind = SpanKind::Wait, .collective = pending.collective()}, [&] { pending.wait(); });
    }
    happened({.kind = Milestone::Kind::Waited, .step = launchedAt});
    const std::optional<Rank> source = pending.source();
    Unended operation{std::exchange(pending, {}), launchedAt, bytes, name, std::nullopt};
    if (trained_.wasPausedSince(launchedAt)) operation.returned = hold();
    if (!tryToRecord(operation)) unended_.push_back(std::move(operation));
    return source;
}

void Executor::waitForAny(const std::vector<Pending*>& all) {
    if (std::ranges::any_of(all, [](Pending* pending) { return pending->done(); })) return;
    run({.kind = SpanKind::Wait}, [&] { Pending::waitForAny(all); });
}

void Executor::flush() {
    if (const auto forward = std::exchange(forward_, std::nullopt)) sink_.span(*forward);
    while (!unended_.empty() && tryToRecord(unended_.front())) unended_.pop_front();
}

void Executor::stepDone(Ns now) {
    flush();
    happened({.kind = Milestone::Kind::StepDone, .step = step_, .at = now});
}

void Executor::apply(const Milestone& milestone) {
    switch (milestone.kind) {
        case Milestone::Kind::Waited: return windows_.waited(milestone.step);
        case Milestone::Kind::Disturbed:
            windows_.disturb(milestone.step);
            return trained_.pause(milestone.step, milestone.at);
        case Milestone::Kind::Resumed: return trained_.resume(milestone.at);
        case Milestone::Kind::StepDone: return windows_.stepDone(milestone.step, milestone.at);
        case Milestone::Kind::TrainingDone: return windows_.end();
    }
}

bool Executor::tryToRecord(Unended& operation) {
    const std::optional<Interval> interval = operation.pending.interval();
    if (!interval) {
        // The wait returned before the operation had ended, because a device's stream waits for it instead of the host.
        // Where it has ended without an interval it failed, and a second wait() throws the error.
        if (operation.pending.done()) operation.pending.wait();
        return false;
    }
    if (operation.returned) {
        const std::optional<Ns> returned = held(*operation.returned);
        if (!returned) return false;
        trained_.awaited(operation.launchedAt, interval->end, *returned);
    }
    add({.lane = Lane::Comm,
         .kind = SpanKind::Reduce,
         .step = operation.launchedAt,
         .start = interval->start,
         .end = interval->end,
         .bytes = operation.bytes,
         .collective = operation.pending.collective(),
         .ranks = operation.pending.ranks()},
        operation.name);
    return true;
}

void Executor::add(const Span& span, std::string_view name) {
    if (level_ == TraceLevel::Off) return;
    if (level_ == TraceLevel::Summary) {
        // Many pieces of simulated work take no time; their spans would add nothing to any sum.
        if (span.lane == Lane::Compute && span.start == span.end) return;
        if (takePass(span)) return;
    } else if (auto* named = name.empty() ? nullptr : dynamic_cast<NamedSpanSink*>(&sink_)) {
        return named->namedSpan(span, name);
    }
    sink_.span(span);
}

bool Executor::takePass(const Span& span) {
    if (const auto forward = std::exchange(forward_, std::nullopt)) {
        const bool touches =
            span.kind == SpanKind::Backward && span.step == forward->step && span.start == forward->end;
        Span both = *forward;
        if (touches) {
            both.kind = SpanKind::Passes;
            both.end = span.end;
        }
        sink_.span(both);
        if (touches) return true;
    }
    if (span.kind != SpanKind::Forward) return false;
    forward_ = span;
    return true;
}

}  // namespace dasgd
