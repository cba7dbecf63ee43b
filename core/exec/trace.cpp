#include "core/exec/trace.h"

namespace dasgd {

void Trace::add(const Span& span) {
    if (level_ == TraceLevel::Off) return;
    meter_.add(span);
    if (level_ == TraceLevel::Full) sink_.span(span);
}

void Trace::await(Pending& pending, std::int64_t launchedAt, std::int64_t step, std::int64_t bytes) {
    if (!pending.done()) {
        const Scope wait = scope(SpanKind::Wait, step, pending.collective());
        pending.wait();
    } else {
        pending.wait();
    }
    const Interval interval = pending.interval();
    add({.lane = Lane::Comm,
         .kind = SpanKind::Reduce,
         .step = launchedAt,
         .start = interval.start,
         .end = interval.end,
         .bytes = bytes,
         .collective = pending.collective()});
}

}  // namespace dasgd
