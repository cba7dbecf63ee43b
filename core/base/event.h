// Events that a rank records while it trains: spans, metrics, states.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/ids.h"

namespace dasgd {

// The order is part of the journal and of lab.db (storage/format.md): append only.
//
// A rank emits a `Reduce` for each communication, from its own arrival to its end. The collector divides it, where the
// records of all its ranks meet, into `Skew` (own arrival to the last rank's) and `Transfer` (from then to the end).
// A `Window` is a stretch of whole steps that no evaluation, checkpoint, profiling or start-up touched; only time in
// windows counts for overlap and times. Its lane is Io, its step the last completed one, its bytes the number of steps.
// A rank emits it after the spans that it covers, and at least every 256 steps: a longer stretch is several windows
// that touch. Only a Reduce may come later than the window that it began in.
// `Passes` is the forward and the backward pass of a step in one record, where nothing lies between them and no span is
// kept: half as many for a collector that forms numbers from them. The bytes of a Forward and of Passes are the number
// of samples of the batch; where a wait interrupts a pass, its first part has them.
// `Compute` is an operator or a kernel, of which nothing tells to which part of a step it belongs: of a trace of
// another program, or of a profiled step (lane Io). `Other` is what is none of the kinds; of a rank the profiler at
// work.
enum class SpanKind : std::uint8_t {
    Data,
    Forward,
    Backward,
    Update,
    Snapshot,
    Reduce,
    Wait,
    Merge,
    Eval,
    Checkpoint,
    Skew,
    Transfer,
    Window,
    Passes,
    Compute,
    Other
};
enum class Lane : std::uint8_t { Compute, Comm, Io };

inline constexpr std::array<std::string_view, 16> kSpanKindNames{
    "data", "forward",    "backward", "update",   "snapshot", "reduce", "wait",    "merge",
    "eval", "checkpoint", "skew",     "transfer", "window",   "passes", "compute", "other"};
inline constexpr std::array<std::string_view, 3> kLaneNames{"compute", "comm", "io"};

constexpr std::string_view nameOf(SpanKind kind) { return kSpanKindNames[static_cast<std::size_t>(kind)]; }
constexpr std::string_view nameOf(Lane lane) { return kLaneNames[static_cast<std::size_t>(lane)]; }

// Compute for the `hidden` figure: forward, backward, update, snapshot, merge, and other programs' operators.
constexpr bool isCompute(SpanKind kind) {
    switch (kind) {
        case SpanKind::Forward:
        case SpanKind::Backward:
        case SpanKind::Update:
        case SpanKind::Snapshot:
        case SpanKind::Merge:
        case SpanKind::Passes:
        case SpanKind::Compute: return true;
        default: return false;
    }
}

struct Span {
    Lane lane = Lane::Compute;
    SpanKind kind = SpanKind::Forward;
    std::int64_t step = 0;  // for a reduce: the step at which it was launched
    Ns start = 0;           // for a reduce: this rank's arrival (its launch)
    Ns end = 0;
    std::int64_t bytes = 0;  // payload of the tensor, 0 where none; or what the kind says
    // 1, 2, …: the same on every rank that takes part, and no other collective's of the run. Links reduce, wait and
    // merge. 0: none, as for point-to-point messages.
    std::uint64_t collective = 0;
    std::int64_t ranks = 0;  // for a reduce: how many take part in the collective; 0: all of the run
};

struct Metric {
    std::string_view name;  // "train/loss"; see storage/format.md for the names in use
    std::int64_t step = 0;
    double epoch = 0;
    Ns wall = 0;
    std::int64_t samples = 0;    // by all ranks together so far
    std::int64_t bytesSent = 0;  // by this rank so far
    double value = 0;            // NaN and ±Inf are recorded as they are
};

enum class RankState : std::uint8_t { Starting, Running, Finished, Failed, Stopped };

// One producer thread per sink; nothing here blocks or makes a system call in the ordinary case.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void span(const Span& span) = 0;
    virtual void metric(const Metric& metric) = 0;
    // `text` gives the reason, where there is one; any length.
    virtual void state(RankState state, std::int64_t step, std::string_view text) = 0;
};

}  // namespace dasgd
